import { setImmediate as turn, setTimeout as delay } from 'node:timers/promises';
import { afterAll, beforeAll, beforeEach, describe, expect, it, jest } from '@jest/globals';
import { PetStore, PetStoreError, type PetStoreOptions, type ResponseInfo } from '../../client/src/index.js';
import { startService, type TestService } from '../support/service.js';
import { clientOf, rejectionOf, withRealTime } from './clients.js';

/** The time of the service, which waiting clients move: together, as real ones wait together. */
let nowMs: number;
const waitsMs: number[] = [];
const sleep = async (ms: number, signal?: AbortSignal): Promise<void> => {
  const untilMs = nowMs + ms;
  waitsMs.push(ms);
  await turn();
  signal?.throwIfAborted();
  nowMs = Math.max(nowMs, untilMs);
};

let service: TestService;
beforeAll(async () => {
  service = await startService({ clock: { nowMs: () => nowMs } });
});
afterAll(() => service.close());
beforeEach(() => {
  nowMs = Date.UTC(2026, 10, 20, 9, 30, 12);
  waitsMs.splice(0);
});

/** A client on a key with limits, with what it received. */
async function client(limits: { perMinute: number; perDay?: number }, pace?: boolean) {
  const { id, key } = await service.issueKey({ perDay: 100_000, ...limits });
  const responses: ResponseInfo[] = [];
  const onResponse = (response: ResponseInfo): void => void responses.push(response);
  const store = clientOf(service, key, { sleep: withRealTime(sleep), pace, onResponse });
  const counters = async (): Promise<unknown> =>
    (
      await service.pool.query(
        'select minute_refused, banned_until from api_key_counters where api_key_id = $1',
        [id],
      )
    ).rows[0];
  return { store, responses, counters, keyId: id };
}

const statusesOf = (responses: readonly ResponseInfo[]): readonly number[] => [
  ...new Set(responses.map(({ status }) => status)),
];

describe('thirty calls at once', () => {
  it('on a key with 5 a minute all succeed, in six minutes, and none is rejected', async () => {
    const { store, responses, counters } = await client({ perMinute: 5 });
    await Promise.all(Array.from({ length: 30 }, () => store.inventory()));
    expect(statusesOf(responses)).toEqual([200]);
    expect(await counters()).toEqual({ minute_refused: 0n, banned_until: null });
    expect(Math.floor((nowMs - Date.UTC(2026, 10, 20, 9, 30)) / 60_000)).toBe(5);
  });

  it('on a key with 3 left of its month three succeed, and no other is sent', async () => {
    const { store, responses, keyId } = await client({ perMinute: 100 });
    await service.pool.query('update api_keys set requests_per_month = 3 where id = $1', [keyId]);
    const calls = await Promise.allSettled(Array.from({ length: 30 }, () => store.inventory()));
    expect(calls.filter(({ status }) => status === 'fulfilled')).toHaveLength(3);
    expect(responses.map(({ status }) => status)).toEqual([200, 200, 200]);
  });

  it('wait for one response, and then are in flight together', async () => {
    let inFlight = 0;
    const most: number[] = [];
    const fetch: typeof globalThis.fetch = async (...args) => {
      most.push((inFlight += 1));
      const response = await globalThis.fetch(...args);
      inFlight -= 1;
      return response;
    };
    const { key } = await service.issueKey({ perMinute: 300 });
    const paced = clientOf(service, key, { sleep, fetch });
    await Promise.all(Array.from({ length: 30 }, () => paced.inventory()));
    expect(most.slice(0, 2)).toEqual([1, 1]);
    expect(Math.max(...most)).toBe(29);
    expect(waitsMs).toEqual([]);
  });

  it('are banned without pacing', async () => {
    const { store, responses, counters } = await client({ perMinute: 5 }, false);
    await Promise.allSettled(Array.from({ length: 30 }, () => store.inventory({ maxRetries: 0 })));
    expect(statusesOf(responses).toSorted((a, b) => a - b)).toEqual([200, 429]);
    expect(await counters()).toMatchObject({ minute_refused: 20n, banned_until: expect.any(Date) });
  });
});

describe('a call that waits for a reset', () => {
  it('says so before it is sent, and is aborted while it waits', async () => {
    const { key } = await service.issueKey({ perMinute: 1, perDay: 100 });
    const waits: number[] = [];
    const controller = new AbortController();
    const store = clientOf(service, key, {
      sleep,
      onWait: ({ waitMs }) => {
        waits.push(Math.ceil(waitMs / 1000));
        controller.abort('left the page');
      },
    });
    await store.inventory();
    expect(await rejectionOf(store.inventory({ signal: controller.signal }))).toBe('left the page');
    expect(waits).toEqual([expect.any(Number)]);
    expect(waits[0]).toBeGreaterThan(0);
    expect(waits[0]).toBeLessThanOrEqual(49);
  });
});

describe('a limit that resets after more than maxRetryWaitMs', () => {
  it('fails calls at once, without sending them', async () => {
    const { store, responses } = await client({ perMinute: 100, perDay: 2 });
    await store.inventory();
    await store.inventory();
    const error = await rejectionOf(store.inventory());
    expect(error).toBeInstanceOf(PetStoreError);
    expect(error).toMatchObject({
      code: 'rate_limit_exceeded',
      status: 429,
      retryAfterSeconds: expect.any(Number),
      message: expect.stringMatching(/^The key has no requests left for \d+ seconds, so none is sent\.$/),
    });
    expect((error as PetStoreError).retryAfterSeconds).toBeGreaterThan(50_000);
    expect(responses).toHaveLength(2);
    expect(waitsMs).toEqual([]);
  });
});

/** A service that the test plays. */
function played() {
  const sent: { readonly respond: (response: Response | Error) => void; readonly signal: AbortSignal }[] = [];
  const fetch: typeof globalThis.fetch = (_input, init) =>
    new Promise((resolve, reject) => {
      const signal = init?.signal as AbortSignal;
      signal.addEventListener('abort', () => reject(signal.reason as Error));
      sent.push({
        respond: (response) => (response instanceof Error ? reject(response) : resolve(response)),
        signal,
      });
    });
  const storeWith = (options: Partial<PetStoreOptions> = {}): PetStore =>
    new PetStore({
      ...{ baseUrl: 'http://localhost/v1', apiKey: 'psk_x', fetch, sleep, maxRetries: 0 },
      ...options,
    });
  return { sent, store: storeWith(), storeWith };
}

/** Of a service without limits. */
const inventory = (): Response => new Response('{"available":1,"pending":0,"sold":0}');

const left = (remaining: number, seconds = 30, status = 200, headers = {}): Response =>
  new Response('{"available":1,"pending":0,"sold":0}', {
    status,
    headers: { ratelimit: `"minute";r=${remaining};t=${seconds}, "day";r=9000;t=50000`, ...headers },
  });

describe('the gate', () => {
  it('lets as many calls be in flight as remain', async () => {
    const { sent, store } = played();
    const calls = Array.from({ length: 5 }, () => store.inventory());
    await turn();
    expect(sent).toHaveLength(1);
    sent[0]?.respond(left(3));
    await calls[0];
    await turn();
    expect(sent).toHaveLength(4);
    sent[1]?.respond(left(2));
    await calls[1];
    await turn();
    // Two remain, and two are in flight.
    expect(sent).toHaveLength(4);
    sent[2]?.respond(left(1));
    sent[3]?.respond(left(1));
    await calls[3];
    await turn();
    expect(sent).toHaveLength(5);
    sent[4]?.respond(left(0));
    await Promise.all(calls);
  });

  it('stays open after a 403: the windows of a suspended key are not its own', async () => {
    const { sent, store } = played();
    const suspended = rejectionOf(store.inventory());
    await turn();
    sent[0]?.respond(left(0, 40_000, 403, { 'retry-after': '60' }));
    await suspended;
    const resumed = store.inventory();
    await turn();
    sent[1]?.respond(left(5));
    await resumed;
    expect(waitsMs).toEqual([]);
  });

  it('does not take the limit of the address for that of the key', async () => {
    const { sent, store } = played();
    const failed = rejectionOf(store.inventory());
    await turn();
    sent[0]?.respond(new Response('', { status: 503, headers: { ratelimit: '"address";r=0;t=50' } }));
    await failed;
    const next = store.inventory();
    await turn();
    sent[1]?.respond(left(5));
    await next;
    expect(waitsMs).toEqual([]);
  });

  it.each([
    ['no Retry-After', {}, 187.5],
    ['Retry-After: 0', { 'retry-after': '0' }, 125],
    [
      'a date',
      { 'retry-after': 'Fri, 20 Nov 2026 09:31:00 GMT', date: 'Fri, 20 Nov 2026 09:30:20 GMT' },
      40_000,
    ],
  ])('waits once after a 429 with %s', async (_what, headers, atLeastMs) => {
    const random = jest.spyOn(Math, 'random').mockReturnValue(0.5);
    const { sent, store } = played();
    const call = store.inventory({ maxRetries: 1 });
    await turn();
    sent[0]?.respond(new Response('', { status: 429, headers }));
    while (sent.length < 2) await turn();
    sent[1]?.respond(left(5));
    await call;
    random.mockRestore();
    expect(waitsMs).toHaveLength(1);
    expect(waitsMs[0]).toBeGreaterThanOrEqual(atLeastMs);
  });

  it('learns from a 304 without limits, too, that there are none', async () => {
    const { sent, store } = played();
    const first = store.inventory({ ifNoneMatch: '"1"' });
    await turn();
    sent[0]?.respond(new Response(null, { status: 304 }));
    await first;
    const calls = Array.from({ length: 3 }, () => store.inventory());
    await turn();
    expect(sent).toHaveLength(4);
    for (const { respond } of sent.slice(1)) respond(inventory());
    await Promise.all(calls);
  });

  it('lets calls wait longer than their time-out while those before them have responses', async () => {
    const { sent, store } = played();
    const calls = Array.from({ length: 9 }, () => store.inventory({ timeoutMs: 2000 }));
    const begun = performance.now();
    for (let next = 0; next < calls.length; next += 1) {
      while (sent.length <= next) await turn();
      await delay(300);
      sent[next]?.respond(left(1));
    }
    expect(await Promise.all(calls)).toHaveLength(9);
    expect(performance.now() - begun).toBeGreaterThan(2000);
  });

  it('lets no call wait longer than its time-out for calls without a response', async () => {
    const { sent, store } = played();
    const calls = Array.from({ length: 20 }, () => rejectionOf(store.inventory({ timeoutMs: 50 })));
    const errors = await Promise.all(calls);
    expect(errors.map((error) => (error as PetStoreError).code)).toEqual(calls.map(() => 'timed_out'));
    expect(sent.length).toBeLessThan(20);
  });

  it('gives places in the order in which calls came, also while one is being woken', async () => {
    // In each of the steps between the response and the value, which is long after the second has its place.
    for (let steps = 0, isFirstDone = false; !isFirstDone; steps += 1) {
      const { sent, store } = played();
      const order: string[] = [];
      const call = (name: string): Promise<unknown> => store.inventory().then(() => order.push(name));
      const calls = [call('first'), call('second'), call('third')];
      await turn();
      sent[0]?.respond(left(1));
      for (let step = 0; step < steps; step += 1) await Promise.resolve();
      isFirstDone = order.length > 0;
      calls.push(call('fourth'));
      for (let next = 1; next < 4; next += 1) {
        while (sent.length <= next) await turn();
        sent[next]?.respond(left(1));
      }
      await Promise.all(calls);
      expect(order).toEqual(['first', 'second', 'third', 'fourth']);
    }
  });

  it('says once that a call waits, also if the reset is put off meanwhile', async () => {
    const { sent, storeWith } = played();
    const waits: number[] = [];
    const store = storeWith({ onWait: ({ waitMs }) => waits.push(waitMs), maxRetryWaitMs: Infinity });
    const first = store.inventory();
    await turn();
    sent[0]?.respond(left(2));
    await first;
    const [one, other] = [rejectionOf(store.inventory()), rejectionOf(store.inventory())];
    await turn();
    sent[1]?.respond(left(0, 10, 429, { 'retry-after': '10' }));
    await one;
    const waiting = store.inventory();
    sent[2]?.respond(left(0, 50, 429, { 'retry-after': '5000' }));
    await other;
    while (sent.length < 4) await turn();
    sent[3]?.respond(left(5));
    await waiting;
    expect(waits).toHaveLength(1);
  });

  it('is not opened by the response to a request from before it was closed', async () => {
    const { sent, store } = played();
    const first = store.inventory();
    await turn();
    sent[0]?.respond(left(2));
    await first;
    const [slow, rejected] = [store.inventory(), rejectionOf(store.inventory())];
    await turn();
    sent[2]?.respond(left(0, 30, 429, { 'retry-after': '30' }));
    await rejected;
    sent[1]?.respond(left(100));
    await slow;
    const later = [store.inventory(), store.inventory()];
    await turn();
    await turn();
    // They have waited, and one finds out.
    expect(waitsMs).toHaveLength(2);
    await turn();
    expect(sent).toHaveLength(4);
    sent[3]?.respond(left(5));
    await later[0];
    await turn();
    sent[4]?.respond(left(4));
    await later[1];
  });

  it('passes the place of a call that is aborted on to the next', async () => {
    const { sent, store } = played();
    const controllers = [new AbortController(), new AbortController()];
    const [probe, waiting] = controllers.map(({ signal }) => rejectionOf(store.inventory({ signal })));
    const last = store.inventory();
    await turn();
    controllers[1]?.abort('no longer wanted');
    expect(await waiting).toBe('no longer wanted');
    controllers[0]?.abort('neither');
    expect(await probe).toBe('neither');
    await turn();
    expect(sent).toHaveLength(2);
    sent[1]?.respond(left(9));
    await last;
  });

  it('goes on after connections that failed when few requests were left', async () => {
    const { sent, store } = played();
    const first = store.inventory();
    await turn();
    sent[0]?.respond(left(2));
    await first;
    const failed = [rejectionOf(store.inventory()), rejectionOf(store.inventory())];
    const last = store.inventory();
    await turn();
    for (const { respond } of sent.slice(1)) respond(new TypeError('fetch failed'));
    await Promise.all(failed);
    await turn();
    sent[3]?.respond(left(1));
    expect(await last).toMatchObject({ available: 1 });
  });

  it('goes on one by one while there is no connection, and without bounds where no limit is stated', async () => {
    const { sent, store } = played();
    const failed = rejectionOf(store.inventory());
    const calls = [store.inventory(), store.inventory()];
    await turn();
    sent[0]?.respond(new TypeError('fetch failed'));
    expect(await failed).toMatchObject({
      code: 'connection_failed',
      message:
        'There was no complete response from http://localhost/v1/store/inventory: TypeError: fetch failed (it cannot be reached, or CORS)',
    });
    await turn();
    expect(sent).toHaveLength(2);
    sent[1]?.respond(inventory());
    await calls[0];
    calls.push(store.inventory(), store.inventory());
    await turn();
    expect(sent).toHaveLength(5);
    for (const { respond } of sent) respond(inventory());
    await Promise.all(calls);
  });
});
