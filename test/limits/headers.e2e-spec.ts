import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { type Answer, ask } from '../support/ask.js';
import { sendRawUpTo, type WireResponse } from '../support/wire.js';
import { type IssueKey, startService, type TestService } from '../support/service.js';
import { newAddress, unknownKey } from '../support/strangers.js';

const MINUTE_MS = 60_000;
/** 09:30:12.345 in the UTC day: 48 seconds before the next minute, 52,188 before the next day, rounded up. */
const NOW = Date.parse('2026-11-20T09:30:12.345Z');

const clock = { nowMs: NOW };
const seconds = (instant: string): number => Date.parse(instant) / 1000;

/** What the first refusal of an address is answered. */
const ADDRESS = {
  limit: 60,
  remaining: 59,
  resetSeconds: seconds('2026-11-20T09:31:00Z'),
  headers: { 'ratelimit-policy': '"address";q=60;w=60', ratelimit: '"address";r=59;t=48' },
};

let service: TestService;

beforeAll(async () => {
  service = await startService({
    // So that each test has addresses of its own.
    environment: { TRUST_PROXY: 'loopback' },
    clock: { nowMs: () => clock.nowMs },
  });
});
afterAll(() => service.close());

/** Asks with a new key, at a clock that the test then moves. */
async function newKey(limits: Partial<IssueKey>): Promise<() => Promise<Answer>> {
  clock.nowMs = NOW;
  const { key } = await service.issueKey(limits);
  return () => ask(service.origin, { key });
}

describe('X-RateLimit-* describes the window with the fewest requests remaining', () => {
  it('the minute, while the day leaves more', async () => {
    const next = await newKey({ perMinute: 3, perDay: 9 });
    expect(await next()).toMatchObject({
      limit: 3,
      remaining: 2,
      resetSeconds: seconds('2026-11-20T09:31:00Z'),
    });
  });

  it('the day, once it leaves less, and the minute again on the next day', async () => {
    const next = await newKey({ perMinute: 3, perDay: 4 });
    const seen: number[][] = [];
    for (const stepMs of [0, 0, MINUTE_MS, 0, 86_400_000]) {
      clock.nowMs += stepMs;
      const { limit, remaining, resetSeconds } = await next();
      seen.push([limit, remaining, resetSeconds]);
    }
    expect(seen).toEqual([
      [3, 2, seconds('2026-11-20T09:31:00Z')],
      [3, 1, seconds('2026-11-20T09:31:00Z')],
      [4, 1, seconds('2026-11-21T00:00:00Z')],
      [4, 0, seconds('2026-11-21T00:00:00Z')],
      [3, 2, seconds('2026-11-21T09:32:00Z')],
    ]);
  });

  it('the longer one of two that leave the same', async () => {
    const next = await newKey({ perMinute: 3, perDay: 3 });
    expect(await next()).toMatchObject({
      limit: 3,
      remaining: 2,
      resetSeconds: seconds('2026-11-21T00:00:00Z'),
    });
  });
});

describe('RateLimit and RateLimit-Policy tell both windows', () => {
  it('of an admitted request', async () => {
    const next = await newKey({ perMinute: 60, perDay: 1000 });
    expect((await next()).headers).toMatchObject({
      'ratelimit-policy': '"minute";q=60;w=60, "day";q=1000;w=86400',
      ratelimit: '"minute";r=59;t=48, "day";r=999;t=52188',
      'x-ratelimit-limit': '60',
      'x-ratelimit-remaining': '59',
    });
  });

  it('of a refused one, each with its own end', async () => {
    const next = await newKey({ perMinute: 2, perDay: 1000 });
    await next();
    await next();
    const { status, headers } = await next();
    expect(status).toBe(429);
    expect(headers).toMatchObject({
      'ratelimit-policy': '"minute";q=2;w=60, "day";q=1000;w=86400',
      ratelimit: '"minute";r=0;t=48, "day";r=998;t=52188',
    });
  });

  it('of a banned key, which has nothing left in either', async () => {
    const next = await newKey({ perMinute: 1, perDay: 1000 });
    for (let asked = 0; asked < 21; asked += 1) await next();
    const { code, headers } = await next();
    expect(code).toBe('api_key_banned');
    expect(headers['ratelimit']).toBe('"minute";r=0;t=48, "day";r=0;t=52188');
    expect(headers['x-ratelimit-reset']).toBe(String(seconds('2026-11-20T09:31:13Z')));
  });

  it.each([
    [400, 'GET', '/v1/pets?limit=0'],
    [404, 'GET', '/v1/pets/1234567'],
    [404, 'GET', '/v1/nothing'],
    [405, 'PATCH', '/v1/pets'],
    [405, 'OPTIONS', '/v1/pets'],
  ])('of a request that fails with %d for another reason (%s %s)', async (status, method, path) => {
    clock.nowMs = NOW;
    const { key } = await service.issueKey({ perMinute: 60, perDay: 1000 });
    const answer = await ask(service.origin, { key, method, path });
    expect(answer.status).toBe(status);
    expect(answer.headers).toMatchObject({
      'ratelimit-policy': '"minute";q=60;w=60, "day";q=1000;w=86400',
      ratelimit: '"minute";r=59;t=48, "day";r=999;t=52188',
    });
  });
});

describe('without a valid key they describe the client address', () => {
  it.each([
    ['missing_api_key', undefined],
    ['invalid_api_key', 'psk_1'],
    ['invalid_api_key', unknownKey()],
  ])('%s (%s)', async (code, key) => {
    clock.nowMs = NOW;
    const headers = { 'x-forwarded-for': newAddress() };
    const answer = await ask(service.origin, { headers, ...(key !== undefined && { key }) });
    expect(answer).toMatchObject({ status: 401, code, ...ADDRESS });
  });

  it.each([
    ['revoked_api_key', 'revoked_at'],
    ['expired_api_key', 'expires_at'],
  ])('%s', async (code, column) => {
    clock.nowMs = NOW;
    const { id, key } = await service.issueKey();
    await service.pool.query(`update api_keys set ${column} = $2 where id = $1`, [id, new Date(NOW)]);
    const answer = await ask(service.origin, { key, headers: { 'x-forwarded-for': newAddress() } });
    expect(answer).toMatchObject({ status: 401, code, ...ADDRESS });
  });

  it('also for a preflight, which is not charged', async () => {
    clock.nowMs = NOW;
    const headers = {
      'x-forwarded-for': newAddress(),
      origin: 'https://shop.example',
      'access-control-request-method': 'GET',
    };
    for (let asked = 0; asked < 2; asked += 1) {
      const answer = await ask(service.origin, { method: 'OPTIONS', headers });
      expect(answer).toMatchObject({ status: 204, limit: 60, remaining: 60 });
      expect(answer.headers['ratelimit']).toBe('"address";r=60;t=48');
    }
  });
});

describe('each request has its own Remaining', () => {
  it('in the order of arrival, also of as many as one connection may have in flight', async () => {
    clock.nowMs = NOW;
    const { key } = await service.issueKey({ perMinute: 40, perDay: 1000 });
    const one = `GET /v1/pets?limit=1 HTTP/1.1\r\nhost: localhost\r\nauthorization: Bearer ${key}\r\n\r\n`;
    const responses: WireResponse[] = [];
    for (let round = 0; round < 3; round += 1) {
      responses.push(...(await sendRawUpTo(service.port, one.repeat(16), 16)));
    }
    expect(responses.map(({ status, headers }) => [status, headers.get('x-ratelimit-remaining')])).toEqual(
      Array.from({ length: 48 }, (_, index) => [index < 40 ? 200 : 429, [String(Math.max(0, 39 - index))]]),
    );
  });

  it('also over many connections', async () => {
    clock.nowMs = NOW;
    const { key } = await service.issueKey({ perMinute: 80, perDay: 1000 });
    const answers = await Promise.all(Array.from({ length: 80 }, () => ask(service.origin, { key })));
    expect(answers.map(({ remaining }) => remaining).sort((a, b) => b - a)).toEqual(
      Array.from({ length: 80 }, (_, index) => 79 - index),
    );
  });
});
