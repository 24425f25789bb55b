import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { type ApiResponse, send } from './support/send.js';
import { PatientClient } from './support/patient-client.js';
import type { IssueKey } from './support/service.js';
import { useService } from './support/use-service.js';
import { sendRawUpTo, type WireResponse } from './support/wire.js';

const MINUTE_MS = 60_000;
/** 48 seconds before the next minute and 52,188 before the next UTC day, rounded up. */
const NOW = '2026-11-20T09:30:12.345Z';
const NEXT_MINUTE = '2026-11-20T09:31:00Z';
const NEXT_DAY = '2026-11-21T00:00:00Z';

const clock = { nowMs: 0 };
// Each test has addresses of its own.
const service = useService({ environment: { TRUST_PROXY: 'loopback' }, clock: { nowMs: () => clock.nowMs } });

const seconds = (instant: string): number => Date.parse(instant) / 1000;

/** Sends requests with a new key, at a clock that the test then moves. */
async function newKey(limits: Partial<IssueKey>): Promise<() => Promise<ApiResponse>> {
  clock.nowMs = Date.parse(NOW);
  const { key } = await service.issueKey(limits);
  return () => send(service.origin, { key });
}

describe('X-RateLimit-* describe the window with the fewest requests remaining', () => {
  it('the minute while the day leaves more, the day once it leaves less, and the minute on the next day', async () => {
    const next = await newKey({ perMinute: 3, perDay: 4 });
    const seen: number[][] = [];
    for (const stepMs of [0, 0, MINUTE_MS, 0, 86_400_000]) {
      clock.nowMs += stepMs;
      const { limit, remaining, resetSeconds } = await next();
      seen.push([limit, remaining, resetSeconds]);
    }
    expect(seen).toEqual([
      [3, 2, seconds(NEXT_MINUTE)],
      [3, 1, seconds(NEXT_MINUTE)],
      [4, 1, seconds(NEXT_DAY)],
      [4, 0, seconds(NEXT_DAY)],
      [3, 2, seconds('2026-11-21T09:32:00Z')],
    ]);
  });

  it('the longer one of two that leave the same', async () => {
    const next = await newKey({ perMinute: 3, perDay: 3 });
    expect(await next()).toMatchObject({ limit: 3, remaining: 2, resetSeconds: seconds(NEXT_DAY) });
  });
});

describe('RateLimit and RateLimit-Policy describe both windows', () => {
  it('of an admitted request, of a rejected one, and of a banned key, which has nothing left in either', async () => {
    const next = await newKey({ perMinute: 2, perDay: 1000 });
    const policy = '"minute";q=2;w=60, "day";q=1000;w=86400';
    const { headers: admitted } = await next();
    await next();
    const { status, headers: rejected } = await next();
    expect(status).toBe(429);
    for (let sent = 0; sent < 20; sent += 1) await next();
    const { code, headers: banned } = await next();
    expect(code).toBe('api_key_banned');
    expect([admitted, rejected, banned]).toMatchObject([
      { 'ratelimit-policy': policy, ratelimit: '"minute";r=1;t=48, "day";r=999;t=52188' },
      { 'ratelimit-policy': policy, ratelimit: '"minute";r=0;t=48, "day";r=998;t=52188' },
      { 'ratelimit-policy': policy, ratelimit: '"minute";r=0;t=48, "day";r=0;t=52188' },
    ]);
    expect(banned['x-ratelimit-reset']).toBe(String(seconds('2026-11-20T09:31:13Z')));
  });
});

describe('each request has its own Remaining', () => {
  it('in arrival order, even at the maximum in flight on a connection', async () => {
    clock.nowMs = Date.parse(NOW);
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
});

const newClient = async (at: string, limits: Partial<IssueKey>) => {
  clock.nowMs = Date.parse(at);
  const { id, key } = await service.issueKey(limits);
  return { client: new PatientClient(service.origin, clock, key), id };
};

describe('a client that waits exactly as long as a 429 says is admitted', () => {
  it.each([
    ['in a minute', { perMinute: 3 }, NOW, 48, NEXT_MINUTE],
    ['at the start of a minute', { perMinute: 3 }, '2026-11-20T09:30:00Z', 60, NEXT_MINUTE],
    ['in the last millisecond of a minute', { perMinute: 3 }, '2026-11-20T09:30:59.999Z', 1, NEXT_MINUTE],
    [
      'in the last millisecond of a year',
      { perMinute: 3 },
      '2026-12-31T23:59:59.999Z',
      1,
      '2027-01-01T00:00:00Z',
    ],
    ['in a day', { perDay: 3 }, NOW, 52_188, NEXT_DAY],
    ['at the start of a day', { perDay: 3 }, '2026-11-20T00:00:00Z', 86_400, NEXT_DAY],
    ['on the last day of February', { perDay: 3 }, '2028-02-29T23:59:58.5Z', 2, '2028-03-01T00:00:00Z'],
    ['in both, where the later one counts', { perMinute: 3, perDay: 3 }, NOW, 52_188, NEXT_DAY],
  ])('past the limit %s', async (_when, limits, at, retryAfterSeconds, reset) => {
    const { client } = await newClient(at, limits);
    expect(await client.sendTimes(3)).toMatchObject({ status: 200, remaining: 0 });
    const rejected = { status: 429, code: 'rate_limit_exceeded', limit: 3, remaining: 0 };
    expect(await client.send()).toMatchObject({
      ...rejected,
      retryAfterSeconds,
      resetSeconds: seconds(reset),
    });
    expect(await client.sendAfterRetryAfter()).toMatchObject({ status: 200, limit: 3, remaining: 2 });
  });

  it('of a ban, started and announced by the 20th rejection in a minute', async () => {
    const { client } = await newClient(NOW, { perMinute: 1 });
    await client.send();
    const end = { resetSeconds: seconds('2026-11-20T09:31:13Z'), retryAfterSeconds: 60 };
    expect(await client.sendTimes(19)).toMatchObject({ code: 'rate_limit_exceeded', retryAfterSeconds: 48 });
    expect(await client.send()).toMatchObject({ status: 429, code: 'rate_limit_exceeded', ...end });
    expect(await client.send()).toMatchObject({ status: 429, code: 'api_key_banned', remaining: 0, ...end });
    clock.nowMs += 59_999;
    expect(await client.send()).toMatchObject({ code: 'api_key_banned', retryAfterSeconds: 1 });
    expect(await client.sendAfterRetryAfter()).toMatchObject({ status: 200 });
  });

  it('of bans within a day: twice as long each time, up to an hour, and a minute after a quiet day', async () => {
    const { client } = await newClient(NOW, { perMinute: 1 });
    const lengths: number[] = [];
    const untilBanned = async (): Promise<void> => {
      const { retryAfterSeconds } = await client.sendTimes(20);
      lengths.push(retryAfterSeconds);
      expect(await client.send()).toMatchObject({ code: 'api_key_banned', retryAfterSeconds });
    };
    await client.send();
    for (let ban = 1; ban <= 8; ban += 1) {
      await untilBanned();
      expect(await client.sendAfterRetryAfter()).toMatchObject({ status: 200 });
    }
    clock.nowMs += 24 * 3_600_000;
    await client.send();
    await untilBanned();
    expect(lengths).toEqual([60, 120, 240, 480, 960, 1920, 3600, 3600, 60]);
  });

  it.each([
    ['for a while', '2026-11-20T09:40:00Z', 588],
    ['for a microsecond more than a second', '2026-11-20T09:30:13.345001Z', 2],
    ['over midnight', '2026-11-21T00:10:00Z', 52_788],
  ])('of a suspension %s', async (_how, until, retryAfterSeconds) => {
    const { client, id } = await newClient(NOW, { perMinute: 5 });
    await service.pool.query('update api_keys set suspended_until = $2 where id = $1', [id, until]);
    expect(await client.send()).toMatchObject({ code: 'api_key_suspended', remaining: 0, retryAfterSeconds });
    expect(await client.sendAfterRetryAfter()).toMatchObject({ status: 200, remaining: 4 });
  });

  it.each(['2026-11-21T09:30:20Z', '2028-01-01T00:00:00Z', 'infinity'])(
    'but of no suspension until %s: the times are those of the windows',
    async (until) => {
      const { client, id } = await newClient(NOW, { perMinute: 5 });
      await service.pool.query('update api_keys set suspended_until = $2 where id = $1', [id, until]);
      const { status, headers, resetSeconds } = await client.send();
      expect([status, headers['retry-after']]).toEqual([403, undefined]);
      expect(resetSeconds * 1000).toBe(Date.parse('2026-11-21T00:00:00Z'));
    },
  );

  it('of a suspension that ends before the minute in which nothing remains', async () => {
    const { client, id } = await newClient(NOW, { perMinute: 1 });
    await client.send();
    const suspend = `update api_keys set suspended_until = '2026-11-20T09:30:20Z' where id = $1`;
    await service.pool.query(suspend, [id]);
    expect(await client.send()).toMatchObject({ code: 'api_key_suspended', retryAfterSeconds: 48 });
    expect(await client.sendAfterRetryAfter()).toMatchObject({ status: 200 });
  });
});

describe('whatever went before', () => {
  const random = { nowMs: 0 };
  // Bans come soon and are short, so that a short history meets several of them.
  const environment = { BAN_AFTER_REFUSALS: '3', BAN_SECONDS: '20', BAN_MAX_SECONDS: '100' };
  const banning = useService({ environment, clock: { nowMs: () => random.nowMs } });

  const limits = fc.record({
    perMinute: fc.integer({ min: 1, max: 3 }),
    perDay: fc.integer({ min: 1, max: 12 }),
  });
  const starts = [
    '2026-11-20T09:30:00Z',
    '2026-11-20T23:59:00Z',
    '2026-12-31T23:58:30Z',
    '2028-02-28T23:57:00Z',
  ];
  const startMs = fc
    .tuple(
      fc.constantFrom(...starts),
      fc.oneof(fc.integer({ min: 0, max: 180_000 }), fc.constantFrom(0, 1, 999, 59_999)),
    )
    .map(([instant, offsetMs]) => Date.parse(instant) + offsetMs);
  /** Requests. If the last one is rejected, the client waits for as long as its response says. */
  const sending = fc.record({
    do: fc.constant('send' as const),
    times: fc.integer({ min: 1, max: 6 }),
    heeds: fc.constantFrom('Retry-After', 'Reset', 'neither'),
  });
  const waiting = fc.record({
    do: fc.constant('wait' as const),
    ms: fc.oneof(fc.integer({ min: 0, max: 130_000 }), fc.integer({ min: 0, max: 90_000_000 })),
  });
  const operating = fc.record({
    do: fc.constantFrom('suspended_until' as const, 'bans_lifted_at' as const),
    inMs: fc.integer({ min: -1000, max: 100_000 }),
  });
  const steps = [
    { arbitrary: sending, weight: 6 },
    { arbitrary: waiting, weight: 2 },
    { arbitrary: operating, weight: 1 },
  ] as const;

  it('a client that waits exactly as long as a 429 says is admitted', async () => {
    // The clock of the test is not that of the database.
    await banning.pool.query('alter table api_keys disable trigger api_keys_not_lifted_later');
    const heeded = { rate_limit_exceeded: 0, api_key_banned: 0, api_key_suspended: 0, overHours: 0 };
    const history = fc.array(fc.oneof(...steps), { minLength: 1, maxLength: 12 });
    await fc.assert(
      fc.asyncProperty(limits, startMs, history, async (its, beginMs, past) => {
        random.nowMs = beginMs;
        const { id, key } = await banning.issueKey(its);
        const client = new PatientClient(banning.origin, random, key);
        for (const step of past) {
          if (step.do === 'wait') {
            random.nowMs += step.ms;
          } else if (step.do === 'send') {
            const { status, code, retryAfterSeconds } = await client.sendTimes(step.times);
            expect([200, 403, 429]).toContain(status);
            if (status === 200 || step.heeds === 'neither') continue;
            const next = step.heeds === 'Reset' ? client.sendAtReset() : client.sendAfterRetryAfter();
            expect((await next).status).toBe(200);
            heeded[code as 'rate_limit_exceeded'] += 1;
            if (retryAfterSeconds > 3600) heeded.overHours += 1;
          } else {
            const at = new Date(random.nowMs + step.inMs);
            await banning.pool.query(`update api_keys set ${step.do} = $2 where id = $1`, [id, at]);
          }
        }
      }),
      { numRuns: 60 },
    );
    // A history without rejections would prove nothing.
    expect(Math.min(...Object.values(heeded))).toBeGreaterThan(0);
  });
});
