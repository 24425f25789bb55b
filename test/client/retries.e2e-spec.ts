import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
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

const connectionLost = (): Promise<Response> => Promise.reject(new TypeError('fetch failed'));

/** The request arrives, its reply does not. */
const responseLost: Fetch = async (input, init) => {
  await (await globalThis.fetch(input, init)).text();
  throw new TypeError('fetch failed');
};

const inProgress = (): Promise<Response> =>
  Promise.resolve(
    new Response('{"code":"request_in_progress","message":"Still under way.","status":409}', { status: 409 }),
  );

const petsCount = async (): Promise<unknown> =>
  (await service.pool.query<{ count: bigint }>('select count(*) from pets')).rows[0]?.count;

describe('a call that the service rejects for a time', () => {
  it('waits as long as a 429 says, and is then admitted', async () => {
    const { key: tight } = await service.issueKey({ perMinute: 2 });
    const before = clock.waitsMs.length;
    const store = clientOf(service, tight, { retry: { sleep: clock.sleep, random: () => 0.5 } });
    for (let n = 0; n < 5; n += 1) await store.inventory();
    // Two in each minute: the third and the fifth wait for the next one, from 09:30:12 and from shortly after 09:31.
    expect(clock.waitsMs.slice(before)).toEqual([48_125, 60_125]);
  });

  it('fails at once, and says how long, when that is longer than the cap', async () => {
    const { key: tight } = await service.issueKey({ perMinute: 50, perDay: 1 });
    const before = clock.waitsMs.length;
    const store = clientOf(service, tight, { retry: { sleep: clock.sleep } });
    await store.inventory();
    const error = await rejectionOf(store.inventory());
    expect(error).toMatchObject({
      code: 'rate_limit_exceeded',
      status: 429,
      rateLimit: { limit: 1, remaining: 0, resetUnixSeconds: Date.parse('2026-11-21') / 1000 },
      retryAfterSeconds: Math.ceil((Date.parse('2026-11-21') - clock.nowMs()) / 1000),
    });
    expect(clock.waitsMs).toHaveLength(before);
  });

  it('backs off twice as long each time, with jitter and a cap, and gives up in the end', async () => {
    const waits: number[] = [];
    const sleep = (ms: number): Promise<void> => Promise.resolve(void waits.push(ms));
    const { fetch, calls } = fetchAfter(Array.from({ length: 9 }, () => unavailable()));
    const retry = { sleep, random: () => 0.5, attemptsMax: 6, baseMs: 100, capMs: 400 };
    const error = await rejectionOf(clientOf(service, key, { fetch, retry }).usage());
    expect(error).toMatchObject({ code: 'service_unavailable', status: 503 });
    expect(waits).toEqual([75, 150, 300, 300, 300]);
    expect(calls).toHaveLength(6);
  });

  it('is tried again after a 503, by its Retry-After', async () => {
    const waits: number[] = [];
    const sleep = (ms: number): Promise<void> => Promise.resolve(void waits.push(ms));
    const { fetch } = fetchAfter([unavailable({ 'retry-after': '2' })]);
    const store = clientOf(service, key, { fetch, retry: { sleep, random: () => 0 } });
    expect(await store.inventory()).toMatchObject({ sold: expect.any(BigInt) });
    expect(waits).toEqual([2000]);
  });

  it('ends when its signal says so, also while it waits', async () => {
    const controller = new AbortController();
    const reason = new Error('the page was left');
    const { fetch, calls } = fetchAfter([
      () => {
        // The client's own sleep begins after this reply, and must not last a minute.
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

describe('a call whose reply is lost', () => {
  const retry = { sleep: () => Promise.resolve() };

  it('creates once, under the same Idempotency-Key', async () => {
    const before = await petsCount();
    let calls = 0;
    const keys: (string | null)[] = [];
    const fetch: Fetch = (input, init) => {
      calls += 1;
      keys.push(new Headers(init?.headers).get('idempotency-key'));
      return calls === 1 ? responseLost(input, init) : globalThis.fetch(input, init);
    };
    const store = clientOf(service, key, { fetch, retry });
    const rex = await store.createPet({ name: 'Rex', categoryId: 7n });
    expect(await petsCount()).toBe(BigInt(String(before)) + 1n);
    expect(rex.name).toBe('Rex');
    expect(keys).toEqual([expect.stringMatching(/^[0-9a-f-]{36}$/), keys[0]]);
    await store.createPet({ name: 'Rex', categoryId: 7n });
    expect(keys[2]).not.toBe(keys[0]);
  });

  it('is repeated when it only reads', async () => {
    const { fetch, calls } = fetchAfter([connectionLost, connectionLost]);
    await clientOf(service, key, { fetch, retry }).usage();
    expect(calls).toHaveLength(3);
  });

  it('is not repeated when it changes an order', async () => {
    const { fetch, calls } = fetchAfter([connectionLost]);
    const error = await rejectionOf(clientOf(service, key, { fetch, retry }).changeOrder(1n, 'approved'));
    expect(error).toMatchObject({ code: 'connection_failed', status: 0, cause: expect.any(TypeError) });
    expect(calls).toHaveLength(1);
  });

  it('waits for the first creation while that is still under way', async () => {
    const { fetch, calls } = fetchAfter([connectionLost, inProgress]);
    await clientOf(service, key, { fetch, retry }).createPet({ name: 'Rex', categoryId: 7n });
    expect(calls).toHaveLength(3);
  });
});
