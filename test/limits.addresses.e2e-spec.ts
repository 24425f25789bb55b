import { afterEach, describe, expect, it, jest } from '@jest/globals';
import { EventEmitter, once } from 'node:events';
import type { PoolClient } from 'pg';
import { hashApiKey } from '../src/auth/keys/api-key.js';
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

  it('does not affect a valid key from its address', async () => {
    const { key } = await service.issueKey({ perMinute: 10 });
    const address = await exhaustedAddress();
    expect(await from(address, key)).toMatchObject({ status: 200, limit: 10, remaining: 9 });
    // The address has no share in it: its state is as it was.
    expect(await from(address)).toMatchObject({ status: 429, limit: 60, remaining: 0 });
    expect(await from(address, key)).toMatchObject({ status: 200, limit: 10, remaining: 8 });
  });

  it('does not affect other addresses, with or without a key', async () => {
    const { key } = await service.issueKey({ perMinute: 1000 });
    const flooding = newAddress();
    const flood = many(200, (index) => from(flooding, index % 3 === 0 ? undefined : unknownKey()));
    const honest = await many(50, () => from(newAddress(), key));
    const unknown = await from(newAddress());
    await flood;
    expect(tally(honest)).toEqual({ 200: 50 });
    expect(unknown).toMatchObject({ status: 401, remaining: 59 });
  });

  it('ends for the address with the minute', async () => {
    const address = await exhaustedAddress();
    clock.nowMs += 60_000;
    expect(await from(address)).toMatchObject({ status: 401, remaining: 59 });
  });
});

describe('an address past its limit', () => {
  it('has 32 keys looked up at a time, in a queue that delays no other request; more are 503 and uncharged', async () => {
    const [{ key }, { key: known }] = [await service.issueKey(), await service.issueKey()];
    const flooding = newAddress();
    expect(await from(flooding, known)).toMatchObject({ status: 200 });
    await many(61, () => from(flooding));
    const unknown = Array.from({ length: 40 }, unknownKey);
    const statements = holdStatementsFor(unknown);

    const [first = '', ...others] = unknown;
    const flood = [from(flooding, first)];
    await eventually(() => expect(statements.held).toBe(1));
    flood.push(...others.map((one) => from(flooding, one)));
    const responses: ApiResponse[] = [];
    for (const one of flood) void one.then((response) => responses.push(response));
    await eventually(() => expect(tally(responses)).toEqual({ '503 service_unavailable': 8 }));
    for (const response of responses) expect(response).toMatchObject({ limit: 60, retryAfterSeconds: 1 });
    expect(await from(flooding, key)).toMatchObject({ status: 503, retryAfterSeconds: 1 });
    // It was admitted lately.
    expect(await from(flooding, known)).toMatchObject({ status: 200 });
    expect(await from(newAddress(), key)).toMatchObject({ status: 200 });
    expect(await from(newAddress(), unknownKey())).toMatchObject({ status: 401 });

    statements.release();
    expect(tally(await Promise.all(flood))).toEqual({
      '429 rate_limit_exceeded': 32,
      '503 service_unavailable': 8,
    });
    expect(await from(flooding, key)).toMatchObject({ status: 200 });
  });

  it('does not affect other keys behind it: none of their requests is rejected, whatever junk arrives', async () => {
    const address = newAddress();
    const keys = await Promise.all(Array.from({ length: 5 }, () => service.issueKey()));
    for (const { key } of keys) expect(await from(address, key)).toMatchObject({ status: 200 });
    const responses = await many(600, (index) =>
      from(address, index % 3 === 0 ? keys[index % 5]?.key : unknownKey()),
    );
    const valid = responses.filter((_, index) => index % 3 === 0);
    expect(tally(valid)).toEqual({ 200: 200 });
  });

  it('has no slot in the shared queue for a revoked key', async () => {
    const address = newAddress();
    const { id, key } = await service.issueKey();
    expect(await from(address, key)).toMatchObject({ status: 200 });
    await many(61, () => from(address));
    await service.pool.query('select revoke_api_key($1)', [id]);
    // At its next request, as ever.
    expect(await from(address, key)).toMatchObject({ status: 429, limit: 60 });
    const statements = holdStatementsFor([key]);
    const next = from(address, key);
    await eventually(() => expect(statements.held).toBe(1));
    statements.release();
    expect(await next).toMatchObject({ status: 429 });
  });
});

/** Holds low-priority statements about one of these keys back until they are released; others are sent at once. */
function holdStatementsFor(keys: readonly string[]): { readonly held: number; release(): void } {
  const { main: pool } = service.prisma.pools;
  const connect = pool.connect.bind(pool) as (...call: unknown[]) => unknown;
  const hashes = new Set<unknown>(keys.map((key) => hashApiKey(key)));
  const gate = new EventEmitter();
  const opened = once(gate, 'open');
  let held = 0;
  const holding = (connection: PoolClient): PoolClient => {
    const query = connection.query.bind(connection) as (...call: unknown[]) => unknown;
    Reflect.set(connection, 'query', (...call: readonly [{ readonly values?: readonly unknown[] }]) => {
      Reflect.deleteProperty(connection, 'query');
      const [hashesOfStatement] = call[0].values ?? [];
      if (!Array.isArray(hashesOfStatement) || !hashesOfStatement.some((hash) => hashes.has(hash)))
        return query(...call);
      held += 1;
      return opened.then(() => query(...call));
    });
    return connection;
  };
  Reflect.set(pool, 'connect', (...call: unknown[]) =>
    call.length > 0 ? connect(...call) : (connect() as Promise<PoolClient>).then(holding),
  );
  return {
    get held() {
      return held;
    },
    release: () => {
      Reflect.deleteProperty(pool, 'connect');
      gate.emit('open');
    },
  };
}
