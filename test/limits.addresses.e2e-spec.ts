import { afterEach, describe, expect, it, jest } from '@jest/globals';
import { EventEmitter, once } from 'node:events';
import { hashApiKey } from '../src/auth/api-key.js';
import { type ApiResponse, send, tally } from './support/send.js';
import { eventually } from './support/eventually.js';
import { miscopiedKey, newAddress, unknownKey } from './support/unknown-keys.js';
import { useService } from './support/use-service.js';

/** It stands still unless a test moves it on, so that no flood meets the turn of a minute by accident. */
const clock = { nowMs: Date.parse('2026-11-20T09:30:12.345Z') };
const POLICY = '"address";q=60;w=60';

// Every address in X-Forwarded-For is a client of its own.
const service = useService({ environment: { TRUST_PROXY: 'loopback' }, clock: { nowMs: () => clock.nowMs } });
afterEach(() => {
  jest.restoreAllMocks();
});

const from = (address: string, key?: string): Promise<ApiResponse> =>
  send(service.origin, { headers: { 'x-forwarded-for': address }, ...(key !== undefined && { key }) });

const many = (times: number, one: (index: number) => Promise<ApiResponse>): Promise<readonly ApiResponse[]> =>
  Promise.all(Array.from({ length: times }, (_, index) => one(index)));

/** An address that has used up its limit. */
async function exhaustedAddress(): Promise<string> {
  const address = newAddress();
  await many(60, () => from(address));
  expect(await from(address)).toMatchObject({ status: 429 });
  return address;
}

/** Each key's counters, with the version of its row: any write would show. */
async function counters(): Promise<unknown[]> {
  const { rows } = await service.pool.query(
    'select *, xmin::text, ctid::text from api_key_counters order by api_key_id',
  );
  return rows;
}

describe('a flood of requests without a valid key from one address', () => {
  it.each([
    ['without a key', 'missing_api_key', () => undefined],
    ['with malformed keys', 'invalid_api_key', (index: number) => `psk_${'x'.repeat(38)}${index}`],
    ['with keys of a wrong checksum', 'invalid_api_key', miscopiedKey],
    ['with well-formed unknown keys', 'invalid_api_key', unknownKey],
  ])('%s: 401 up to the limit of the address, then 429', async (_what, code, keyOf) => {
    await service.issueKey();
    const before = await counters();
    const address = newAddress();
    const responses = await many(150, (index) => from(address, keyOf(index)));

    expect(tally(responses)).toEqual({ [`401 ${code}`]: 60, '429 rate_limit_exceeded': 90 });
    const unauthorized = responses.filter(({ status }) => status === 401);
    expect(unauthorized.map(({ remaining }) => remaining).sort((a, b) => b - a)).toEqual(
      Array.from({ length: 60 }, (_, index) => 59 - index),
    );
    const rejected = responses.filter(({ status }) => status === 429);
    const retryAfterSeconds = Math.ceil((60_000 - (clock.nowMs % 60_000)) / 1000);
    for (const response of rejected) {
      expect(response).toMatchObject({ limit: 60, remaining: 0, retryAfterSeconds });
      expect(response.headers['ratelimit-policy']).toBe(POLICY);
    }
    expect(await counters()).toEqual(before);
  });

  it('leaves a valid key from the same address alone', async () => {
    const { key } = await service.issueKey({ perMinute: 10 });
    const address = await exhaustedAddress();
    expect(await from(address, key)).toMatchObject({ status: 200, limit: 10, remaining: 9 });
    // The address has no share in it: its state is as it was.
    expect(await from(address)).toMatchObject({ status: 429, limit: 60, remaining: 0 });
    expect(await from(address, key)).toMatchObject({ status: 200, limit: 10, remaining: 8 });
  });

  it('leaves other addresses alone, with a key and without one', async () => {
    const { key } = await service.issueKey({ perMinute: 1000 });
    const flooding = newAddress();
    const flood = many(200, (index) => from(flooding, index % 3 === 0 ? undefined : unknownKey()));
    const honest = await many(50, () => from(newAddress(), key));
    const unknown = await from(newAddress());
    await flood;
    expect(tally(honest)).toEqual({ 200: 50 });
    expect(unknown).toMatchObject({ status: 401, remaining: 59 });
  });

  it('is over for the address when the minute turns', async () => {
    const address = await exhaustedAddress();
    clock.nowMs += 60_000;
    expect(await from(address)).toMatchObject({ status: 401, remaining: 59 });
  });
});

describe('an address past its limit', () => {
  it('has four keys looked up at a time, in a queue that delays no other request', async () => {
    const { key } = await service.issueKey();
    const flooding = await exhaustedAddress();
    const unknown = Array.from({ length: 10 }, unknownKey);
    const statements = holdStatementsFor(unknown);

    const [first = '', ...others] = unknown;
    const flood = [from(flooding, first)];
    await eventually(() => expect(statements.held).toBe(1));
    // Were this the queue of all, its other place would be taken now.
    flood.push(...others.map((one) => from(flooding, one)));
    const responses: ApiResponse[] = [];
    for (const one of flood) void one.then((response) => responses.push(response));
    await eventually(() => expect(tally(responses)).toEqual({ '429 rate_limit_exceeded': 6 }));
    expect(await from(flooding, key)).toMatchObject({ status: 429, limit: 60 });
    expect(await from(newAddress(), key)).toMatchObject({ status: 200 });
    expect(await from(newAddress(), unknownKey())).toMatchObject({ status: 401 });

    statements.release();
    await Promise.all(flood);
    expect(await from(flooding, key)).toMatchObject({ status: 200 });
  });
});

/** Holds statements about one of these keys back until they are released; others are sent at once. */
function holdStatementsFor(keys: readonly string[]): { readonly held: number; release(): void } {
  const { main: pool } = service.prisma.connections;
  const query = pool.query.bind(pool) as (...call: unknown[]) => unknown;
  const hashes = new Set<unknown>(keys.map((key) => hashApiKey(key)));
  const gate = new EventEmitter();
  const opened = once(gate, 'open');
  let held = 0;
  Reflect.set(pool, 'query', (...call: readonly [{ readonly values?: readonly unknown[] }]) => {
    const [hashesOfStatement] = call[0].values ?? [];
    if (!Array.isArray(hashesOfStatement) || !hashesOfStatement.some((hash) => hashes.has(hash)))
      return query(...call);
    held += 1;
    return opened.then(() => query(...call));
  });
  return {
    get held() {
      return held;
    },
    release: () => {
      Reflect.deleteProperty(pool, 'query');
      gate.emit('open');
    },
  };
}
