import fc from 'fast-check';
import { createServer, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterAll, afterEach, beforeAll, describe, expect, it, jest } from '@jest/globals';
import { retryAfterOf } from '../../client/src/error.js';
import { PetStore, PetStoreError, type RetryEvent } from '../../client/src/index.js';
import { startTimer } from '../../client/src/retry.js';
import { startService, type TestService } from '../support/service.js';
import { clientOf, handClock, rejectionOf } from './clients.js';

const clock = handClock('2026-11-20T09:30:12.000Z');

let service: TestService;
let key: string;

beforeAll(async () => {
  service = await startService({ clock });
  ({ key } = await service.issueKey());
});
afterAll(() => service.close());
afterEach(() => void jest.restoreAllMocks());

/** Waits for nothing. */
const sleep = (): Promise<void> => Promise.resolve();
const recordTo =
  (waitsMs: number[]) =>
  (ms: number): Promise<void> =>
    Promise.resolve(void waitsMs.push(ms));
const withJitter = (part: number): void => void jest.spyOn(Math, 'random').mockReturnValue(part);

type Fetch = typeof globalThis.fetch;

/** A fetch whose first responses come from a list, and the others from the service. It counts. */
function fetchAfter(first: readonly (() => Promise<Response>)[]): { fetch: Fetch; calls: RequestInit[] } {
  const calls: RequestInit[] = [];
  const fetch: Fetch = (input, init = {}) => {
    calls.push(init);
    return (first[calls.length - 1] ?? (() => globalThis.fetch(input, init)))();
  };
  return { fetch, calls };
}

const unavailable =
  (headers: Record<string, string> = {}) =>
  (): Promise<Response> =>
    Promise.resolve(
      new Response('{"code":"service_unavailable","message":"Not now.","status":503}', {
        status: 503,
        headers,
      }),
    );

/** A proxy in front of the service that got no response of it. */
const fromProxy = (status: number) => (): Promise<Response> =>
  Promise.resolve(new Response('<html>', { status }));

const connectionLost = (): Promise<Response> => Promise.reject(new TypeError('fetch failed'));

/** The request arrives, its response does not. */
const responseLost: Fetch = async (input, init) => {
  await (await globalThis.fetch(input, init)).text();
  throw new TypeError('fetch failed');
};

const inProgress = (): Promise<Response> =>
  Promise.resolve(
    new Response('{"code":"request_in_progress","message":"Still in progress.","status":409}', {
      status: 409,
    }),
  );

const petsCount = async (): Promise<unknown> =>
  (await service.pool.query<{ count: bigint }>('select count(*) from pets')).rows[0]?.count;

describe('a call that the service rejects for a time', () => {
  it('backs off twice as long each time, with jitter and a cap, and gives up in the end', async () => {
    const waits: number[] = [];
    withJitter(0.5);
    const { fetch, calls } = fetchAfter(Array.from({ length: 9 }, () => unavailable()));
    const patient = clientOf(service, key, {
      fetch,
      sleep: recordTo(waits),
      maxRetries: 5,
      maxRetryWaitMs: 1000,
    });
    const error = await rejectionOf(patient.usage());
    expect(error).toMatchObject({ code: 'service_unavailable', status: 503 });
    expect(waits).toEqual([187.5, 375, 750, 750, 750]);
    expect(calls).toHaveLength(6);
  });

  it('is tried again at the date that a proxy names, by the clock of the proxy', async () => {
    const waitsMs: number[] = [];
    withJitter(0);
    const date = 'Fri, 20 Nov 2026 09:00:00 GMT';
    const { fetch } = fetchAfter([unavailable({ 'retry-after': 'Fri, 20 Nov 2026 09:00:07 GMT', date })]);
    const client = clientOf(service, key, { fetch, sleep: recordTo(waitsMs) });
    await client.inventory();
    expect(waitsMs).toEqual([7000]);
  });

  it('ends when its signal says so, also while it waits', async () => {
    const controller = new AbortController();
    const reason = new Error('the page was left');
    const { fetch, calls } = fetchAfter([
      () => {
        // The client's own sleep begins after this response, and must not last a minute.
        setTimeout(() => controller.abort(reason), 20);
        return unavailable({ 'retry-after': '60' })();
      },
    ]);
    const { signal } = controller;
    expect(await rejectionOf(clientOf(service, key, { fetch }).inventory({ signal }))).toBe(reason);
    expect(await rejectionOf(clientOf(service, key, { fetch }).inventory({ signal }))).toBe(reason);
    expect(calls).toHaveLength(1);
  });

  it('ends an iteration, too', async () => {
    await service.pool.query(
      `insert into pets (name, category_id) select 'Pet', n from generate_series(1, 3) as n`,
    );
    const controller = new AbortController();
    const walk = async (): Promise<void> => {
      for await (const pet of clientOf(service, key).pets({ limit: 1, signal: controller.signal }))
        controller.abort(new Error(`after ${pet.name}`));
    };
    expect(await rejectionOf(walk())).toMatchObject({ message: 'after Pet' });
  });
});

describe('a call whose response is lost', () => {
  it('creates once, under the same Idempotency-Key', async () => {
    const before = await petsCount();
    let calls = 0;
    const keys: (string | null)[] = [];
    const fetch: Fetch = (input, init) => {
      calls += 1;
      keys.push(new Headers(init?.headers).get('idempotency-key'));
      return calls === 1 ? responseLost(input, init) : globalThis.fetch(input, init);
    };
    const store = clientOf(service, key, { fetch, sleep });
    const rex = await store.createPet({ name: 'Rex', categoryId: 7 });
    expect(await petsCount()).toBe(BigInt(String(before)) + 1n);
    expect(rex.name).toBe('Rex');
    expect(keys).toEqual([expect.stringMatching(/^[0-9a-f-]{36}$/), keys[0]]);
    await store.createPet({ name: 'Rex', categoryId: 7 });
    expect(keys[2]).not.toBe(keys[0]);
  });

  it('is repeated when it only reads', async () => {
    const { fetch, calls } = fetchAfter([connectionLost, fromProxy(502), fromProxy(504)]);
    await clientOf(service, key, { fetch, sleep }).usage();
    expect(calls).toHaveLength(4);
  });

  it('is not repeated when it changes or deletes something', async () => {
    for (const [lost, code, status] of [
      [connectionLost, 'connection_failed', 0],
      [unavailable(), 'service_unavailable', 503],
      [fromProxy(502), 'unexpected_response', 502],
      [fromProxy(504), 'unexpected_response', 504],
    ] as const) {
      const { fetch, calls } = fetchAfter([lost, lost, lost]);
      const store = clientOf(service, key, { fetch, sleep });
      for (const call of [store.changeOrder(1, 'approved'), store.changePet(1, {}), store.deletePet(1)])
        expect(await rejectionOf(call)).toMatchObject({ code, status });
      expect(calls).toHaveLength(3);
    }
  });

  it('waits for the first creation while that is still in progress', async () => {
    const { fetch, calls } = fetchAfter([connectionLost, inProgress]);
    await clientOf(service, key, { fetch, sleep }).createPet({ name: 'Rex', categoryId: 7 });
    expect(calls).toHaveLength(3);
  });
});

describe('a retry', () => {
  it('is reported before the client waits, and so is every response', async () => {
    const retries: RetryEvent[] = [];
    const statuses: number[] = [];
    const { fetch } = fetchAfter([unavailable({ 'retry-after': '2' }), connectionLost]);
    withJitter(0);
    const store = clientOf(service, key, {
      fetch,
      sleep,
      onRetry: (retry) => retries.push(retry),
      onResponse: ({ status }) => statuses.push(status),
    });
    await store.usage();
    expect(await rejectionOf(store.getOrder(-1))).toMatchObject({ code: 'order_not_found' });
    expect(statuses).toEqual([503, 200, 404]);
    expect(retries).toEqual([
      { error: expect.any(PetStoreError), attempts: 1, waitMs: 2000 },
      { error: expect.any(PetStoreError), attempts: 2, waitMs: 250 },
    ]);
    expect(retries.map(({ error }) => error.code)).toEqual(['service_unavailable', 'connection_failed']);
  });

  it('can be disabled for the client, and enabled for a call', async () => {
    const { fetch, calls } = fetchAfter(Array.from({ length: 3 }, () => connectionLost));
    const store = clientOf(service, key, { fetch, sleep, maxRetries: 0 });
    expect(await rejectionOf(store.usage())).toMatchObject({ code: 'connection_failed' });
    expect(calls).toHaveLength(1);
    await store.usage({ maxRetries: 2 });
    expect(calls).toHaveLength(4);
  });
});

describe('a call of a server that does not respond', () => {
  let silent: Server;
  let baseUrl: string;
  /** What the server does with a request besides accepting it. */
  let respond: (response: ServerResponse) => void;

  beforeAll(async () => {
    silent = createServer((_request, response) => respond(response));
    await new Promise<void>((resolve) => silent.listen(0, '127.0.0.1', resolve));
    baseUrl = `http://127.0.0.1:${(silent.address() as AddressInfo).port}/v1`;
  });
  afterAll(() => {
    silent.closeAllConnections();
    silent.close();
  });

  it.each<[string, (response: ServerResponse) => void]>([
    ['at all', () => undefined],
    ['to the end', (response) => response.writeHead(200).write('{')],
  ])('%s fails when its time is over, with a sentence', async (_how, behaviour) => {
    respond = behaviour;
    const store = new PetStore({ baseUrl, apiKey: key, maxRetries: 0 });
    expect(await rejectionOf(store.usage({ timeoutMs: 30 }))).toMatchObject({
      name: 'PetStoreError',
      code: 'timed_out',
      status: 0,
      message: 'There was no complete response within 30 ms.',
    });
  });

  it('is repeated if it only reads', async () => {
    respond = () => undefined;
    const codes: string[] = [];
    const store = new PetStore({
      ...{ baseUrl, apiKey: key, timeoutMs: 30, maxRetries: 1 },
      sleep,
      onRetry: ({ error }) => codes.push(error.code),
    });
    expect(await rejectionOf(store.usage())).toMatchObject({ code: 'timed_out' });
    expect(await rejectionOf(store.deletePet(1))).toMatchObject({ code: 'timed_out' });
    expect(codes).toEqual(['timed_out']);
  });
});

const success =
  (body: string | null, status = 200): Fetch =>
  () =>
    Promise.resolve(new Response(body, { status }));

describe('a success without the body of its operation', () => {
  const calls: readonly [string, (store: PetStore) => PromiseLike<unknown>][] = [
    ['listPets', (store) => store.listPets()],
    ['pets', (store) => store.pets().pages().next()],
    ['createPet', (store) => store.createPet({ name: 'Rex', categoryId: 1 })],
    ['getPet', (store) => store.getPet(1)],
    ['changePet', (store) => store.changePet(1, { name: 'Rex' })],
    ['listOrders', (store) => store.listOrders()],
    ['placeOrder', (store) => store.placeOrder(1)],
    ['getOrder', (store) => store.getOrder(1)],
    ['changeOrder', (store) => store.changeOrder(1, 'approved')],
    ['inventory', (store) => store.inventory()],
    ['usage', (store) => store.usage()],
  ];

  it.each(calls)('is an unexpected_response: %s', async (_name, call) => {
    for (const body of ['', '{}', 'null', '[null]', '[{}]', '"sold"', '7', '<html>']) {
      const fetch = success(body);
      const error = await rejectionOf(call(clientOf(service, key, { fetch, maxRetries: 0 })));
      expect(error).toMatchObject({ name: 'PetStoreError', code: 'unexpected_response', status: 200 });
    }
    const fetch = success(null, 204);
    const error = await rejectionOf(call(clientOf(service, key, { fetch, maxRetries: 0 })));
    expect(error).toMatchObject({ code: 'unexpected_response', status: 204 });
  });

  it('is an unexpected_response: deletePet with a body', async () => {
    const error = await rejectionOf(clientOf(service, key, { fetch: success('{}') }).deletePet(1));
    expect(error).toMatchObject({ code: 'unexpected_response' });
  });
});

describe('Retry-After', () => {
  const NOW = 'Fri, 20 Nov 2026 09:30:20 GMT';
  const waitOf = (status: number, headers: Record<string, string>): number | undefined =>
    retryAfterOf({ status, headers: new Headers({ date: NOW, ...headers }) });

  it.each([
    ['5', 5],
    ['5, 5', 5],
    ['60, 60', 60],
    ['5, 60', 60],
    ['60,5', 60],
    [' 7 ', 7],
    ['Fri, 20 Nov 2026 09:31:00 GMT', 40],
    ['Friday, 20-Nov-26 09:31:00 GMT', 40],
    ['Fri Nov 20 09:31:00 2026', 40],
    ['Fri, 20 Nov 2026 09:31:00 GMT, 50', 50],
    ['30, Fri, 20 Nov 2026 09:31:00 GMT', 40],
    ['Fri, 20 Nov 2026 09:00:00 GMT', 0],
    ['soon', undefined],
    ['-5', undefined],
    ['1.5', undefined],
    ['2026-11-20', undefined],
    ['', undefined],
  ])('%j is %p seconds', (text, seconds) => {
    expect(waitOf(503, { 'retry-after': text })).toBe(seconds);
    // A 429 then waits for the reset of its limit.
    expect(waitOf(429, { 'retry-after': text, ratelimit: '"minute";r=0;t=33, "day";r=5;t=9000' })).toBe(
      seconds ?? 33,
    );
    expect(
      waitOf(429, { 'retry-after': text, 'x-ratelimit-reset': String(Date.parse(NOW) / 1000 + 44) }),
    ).toBe(seconds ?? 44);
  });

  it('that cannot be read is never a retry at once', () => {
    fc.assert(
      fc.property(fc.string({ unit: fc.constantFrom(...'0123456789, -:GMTFri Nov'.split('')) }), (text) => {
        const seconds = waitOf(429, { 'retry-after': text, ratelimit: '"minute";r=0;t=33' });
        const isZero = text.split(',').some((part) => /^\s*0+\s*$/.test(part));
        const hasDate = /:\d\d/.test(text);
        if (!isZero && !hasDate) expect(seconds).toBeGreaterThan(0);
      }),
    );
  });
});

describe('a timer', () => {
  const MONTH_MS = 30 * 24 * 3_600_000;

  it.each([
    ['a second', 1000],
    ['a month', MONTH_MS],
    ['the longest of a platform', 2 ** 31 - 1],
    ['one more', 2 ** 31],
  ])('ends after %s, and not before', (_what, ms) => {
    jest.useFakeTimers();
    try {
      let ended = false;
      startTimer(ms, () => (ended = true));
      jest.advanceTimersByTime(ms - 1);
      expect(ended).toBe(false);
      jest.advanceTimersByTime(1);
      expect(ended).toBe(true);
    } finally {
      jest.useRealTimers();
    }
  });

  it('of no end never ends, and can be stopped', () => {
    jest.useFakeTimers();
    try {
      const stop = startTimer(Infinity, () => {
        throw new Error('it ended');
      });
      jest.advanceTimersByTime(12 * MONTH_MS);
      stop();
      expect(jest.getTimerCount()).toBe(0);
    } finally {
      jest.useRealTimers();
    }
  });

  it('of a call without a time-out does not end it', async () => {
    const store = clientOf(service, key, { timeoutMs: Infinity });
    expect(await store.usage({ timeoutMs: MONTH_MS })).toMatchObject({ plan: 'business' });
    expect(await store.usage()).toMatchObject({ plan: 'business' });
  });

  it('of a month after 429 is waited for, where that is wanted', async () => {
    const waitsMs: number[] = [];
    const { fetch, calls } = fetchAfter([
      () => Promise.resolve(new Response('', { status: 429, headers: { 'retry-after': '2592000' } })),
    ]);
    const store = clientOf(service, key, {
      fetch,
      maxRetryWaitMs: Infinity,
      sleep: recordTo(waitsMs),
      pace: false,
    });
    await store.inventory();
    expect(calls).toHaveLength(2);
    expect(waitsMs).toEqual([expect.any(Number)]);
    expect(waitsMs[0]).toBeGreaterThanOrEqual(MONTH_MS);
  });
});

describe('the page of a proxy', () => {
  it.each([
    ['<html>\r\n<head><title>502 Bad Gateway</title></head>\r\n<body>x</body>', '502 Bad Gateway'],
    ['<style>p { color: red }</style><script>let x;</script><p>Upstream is <b>away</b>', 'Upstream is'],
    ['no healthy upstream', 'no healthy upstream'],
    ['\n\n  first\nsecond', 'first'],
    [`<p>${'x'.repeat(1000)}`, 'x'.repeat(200)],
  ])('is an error with its status and its first line of text: %j', async (body, line) => {
    const { fetch } = fetchAfter([() => Promise.resolve(new Response(body, { status: 502 }))]);
    expect(await rejectionOf(clientOf(service, key, { fetch, maxRetries: 0 }).inventory())).toMatchObject({
      code: 'unexpected_response',
      status: 502,
      message: `The response (HTTP 502) is not from the Pet Store Service: ${line}.`,
    });
  });
});
