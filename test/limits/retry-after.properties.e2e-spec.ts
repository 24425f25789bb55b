import { afterAll, beforeAll, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { PatientClient } from '../support/patient-client.js';
import { startService, type TestService } from '../support/service.js';

const RUNS = 60;

/** Bans come soon and are short, so that a short history meets several of them. */
const ENVIRONMENT = { BAN_AFTER_REFUSALS: '3', BAN_SECONDS: '20', BAN_MAX_SECONDS: '100' };

const limits = fc.record({
  perMinute: fc.integer({ min: 1, max: 3 }),
  perDay: fc.integer({ min: 1, max: 12 }),
});

const startMs = fc
  .tuple(
    fc.constantFrom(
      '2026-11-20T09:30:00Z',
      '2026-11-20T23:59:00Z',
      '2026-12-31T23:58:30Z',
      '2028-02-28T23:57:00Z',
    ),
    fc.oneof(fc.integer({ min: 0, max: 180_000 }), fc.constantFrom(0, 1, 999, 59_999)),
  )
  .map(([instant, offsetMs]) => Date.parse(instant) + offsetMs);

/** A client asks so many times, and, if the last time was in vain, waits as it was told. */
const asking = fc.record({
  do: fc.constant('ask' as const),
  times: fc.integer({ min: 1, max: 6 }),
  heeds: fc.constantFrom('Retry-After', 'Reset', 'neither'),
});
const waiting = fc.record({
  do: fc.constant('wait' as const),
  ms: fc.oneof(fc.integer({ min: 0, max: 130_000 }), fc.integer({ min: 0, max: 90_000_000 })),
});
/** What an operator may do meanwhile. */
const operating = fc.record({
  do: fc.constantFrom('suspend' as const, 'lift' as const),
  inMs: fc.integer({ min: -1000, max: 100_000 }),
});

const history = fc.array(
  fc.oneof(
    { arbitrary: asking, weight: 6 },
    { arbitrary: waiting, weight: 2 },
    { arbitrary: operating, weight: 1 },
  ),
  { minLength: 1, maxLength: 12 },
);

const clock = { nowMs: 0 };
let service: TestService;

beforeAll(async () => {
  service = await startService({ environment: ENVIRONMENT, clock: { nowMs: () => clock.nowMs } });
});
afterAll(() => service.close());

it('who waits exactly as long as a 429 says is admitted, whatever went before', async () => {
  const heeded = { rate_limit_exceeded: 0, api_key_banned: 0, overHours: 0 };
  await fc.assert(
    fc.asyncProperty(limits, startMs, history, async (its, beginMs, steps) => {
      clock.nowMs = beginMs;
      const { id, key } = await service.issueKey(its);
      const client = new PatientClient(service.origin, clock, key);
      for (const step of steps) {
        if (step.do === 'wait') {
          clock.nowMs += step.ms;
        } else if (step.do === 'ask') {
          const { status, code, retryAfterSeconds } = await client.askTimes(step.times);
          expect([200, 429]).toContain(status);
          if (status === 200 || step.heeds === 'neither') continue;
          const byReset = step.heeds === 'Reset';
          const next = byReset ? await client.askAtReset() : await client.askAfterRetryAfter();
          expect(next.status).toBe(200);
          heeded[code === 'api_key_banned' ? code : 'rate_limit_exceeded'] += 1;
          if (retryAfterSeconds > 3600) heeded.overHours += 1;
        } else {
          const column = step.do === 'lift' ? 'bans_lifted_at' : 'suspended_until';
          await service.pool.query(`update api_keys set ${column} = $2 where id = $1`, [
            id,
            new Date(clock.nowMs + step.inMs),
          ]);
        }
      }
    }),
    { numRuns: RUNS },
  );
  // A generator that is never refused would prove nothing.
  expect(Math.min(...Object.values(heeded))).toBeGreaterThan(0);
});
