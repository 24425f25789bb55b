import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { PatientClient } from '../support/patient-client.js';
import { startService, type TestService } from '../support/service.js';

/** Each test sets it to where it begins. */
const clock = { nowMs: 0 };
const MIDDLE_OF_MINUTE = '2026-11-20T09:30:12.345Z';

let service: TestService;

beforeAll(async () => {
  service = await startService({ clock: { nowMs: () => clock.nowMs } });
});
afterAll(() => service.close());

/** A client with a key of its own. */
async function newClient(
  at: string,
  limits: { perMinute?: number; perDay?: number },
): Promise<{ client: PatientClient; id: bigint }> {
  clock.nowMs = Date.parse(at);
  const { id, key } = await service.issueKey(limits);
  return { client: new PatientClient(service.origin, clock, key), id };
}

const seconds = (instant: string): number => Date.parse(instant) / 1000;

describe('who waits exactly as long as a 429 says is admitted', () => {
  it.each([
    ['in the middle of a minute', MIDDLE_OF_MINUTE, 48, '2026-11-20T09:31:00Z'],
    ['at the start of a minute', '2026-11-20T09:30:00Z', 60, '2026-11-20T09:31:00Z'],
    ['in the last millisecond of a minute', '2026-11-20T09:30:59.999Z', 1, '2026-11-20T09:31:00Z'],
    ['in the last millisecond of a day', '2026-11-20T23:59:59.999Z', 1, '2026-11-21T00:00:00Z'],
    ['in the last millisecond of a year', '2026-12-31T23:59:59.999Z', 1, '2027-01-01T00:00:00Z'],
  ])('past the minute limit, %s', async (_when, at, retryAfterSeconds, reset) => {
    const { client } = await newClient(at, { perMinute: 3 });
    expect(await client.askTimes(3)).toMatchObject({ status: 200, remaining: 0 });
    expect(await client.ask()).toMatchObject({
      status: 429,
      code: 'rate_limit_exceeded',
      limit: 3,
      remaining: 0,
      retryAfterSeconds,
      resetSeconds: seconds(reset),
    });
    expect(await client.askAfterRetryAfter()).toMatchObject({ status: 200, limit: 3, remaining: 2 });
  });

  it.each([
    ['in the middle of a day', MIDDLE_OF_MINUTE, 52_188, '2026-11-21T00:00:00Z'],
    ['at the start of a day', '2026-11-20T00:00:00Z', 86_400, '2026-11-21T00:00:00Z'],
    ['in the last millisecond of a day', '2026-11-20T23:59:59.999Z', 1, '2026-11-21T00:00:00Z'],
    ['on the last day of February', '2028-02-29T23:59:58.5Z', 2, '2028-03-01T00:00:00Z'],
  ])('past the day limit, %s', async (_when, at, retryAfterSeconds, reset) => {
    const { client } = await newClient(at, { perMinute: 50, perDay: 3 });
    await client.askTimes(3);
    expect(await client.ask()).toMatchObject({
      status: 429,
      code: 'rate_limit_exceeded',
      limit: 3,
      remaining: 0,
      retryAfterSeconds,
      resetSeconds: seconds(reset),
    });
    expect(await client.askAfterRetryAfter()).toMatchObject({ status: 200, limit: 3, remaining: 2 });
  });

  it('past both limits: the later one counts', async () => {
    const { client } = await newClient(MIDDLE_OF_MINUTE, { perMinute: 3, perDay: 3 });
    expect(await client.askTimes(4)).toMatchObject({ retryAfterSeconds: 52_188 });
    expect(await client.askAfterRetryAfter()).toMatchObject({ status: 200 });
  });

  it('banned by the 20th refusal within a minute, which already says for how long', async () => {
    const { client } = await newClient(MIDDLE_OF_MINUTE, { perMinute: 1 });
    await client.ask();
    const end = { resetSeconds: seconds('2026-11-20T09:31:13Z'), retryAfterSeconds: 60 };
    expect(await client.askTimes(19)).toMatchObject({ code: 'rate_limit_exceeded', retryAfterSeconds: 48 });
    expect(await client.ask()).toMatchObject({ status: 429, code: 'rate_limit_exceeded', ...end });
    expect(await client.ask()).toMatchObject({ status: 429, code: 'api_key_banned', remaining: 0, ...end });
    clock.nowMs += 59_999;
    expect(await client.ask()).toMatchObject({ code: 'api_key_banned', retryAfterSeconds: 1 });
    expect(await client.askAfterRetryAfter()).toMatchObject({ status: 200 });
  });

  it('banned again within a day: twice as long each time, up to an hour, and a minute after a quiet day', async () => {
    const { client } = await newClient(MIDDLE_OF_MINUTE, { perMinute: 1 });
    const lengths: number[] = [];
    const untilBanned = async (): Promise<void> => {
      const { retryAfterSeconds } = await client.askTimes(20);
      lengths.push(retryAfterSeconds);
      expect(await client.ask()).toMatchObject({ code: 'api_key_banned', retryAfterSeconds });
    };
    expect(await client.ask()).toMatchObject({ status: 200 });
    for (let ban = 1; ban <= 8; ban += 1) {
      await untilBanned();
      expect(await client.askAfterRetryAfter()).toMatchObject({ status: 200 });
    }
    clock.nowMs += 24 * 3_600_000;
    expect(await client.ask()).toMatchObject({ status: 200 });
    await untilBanned();
    expect(lengths).toEqual([60, 120, 240, 480, 960, 1920, 3600, 3600, 60]);
  });

  it.each([
    ['for a while', '2026-11-20T09:40:00Z', 588],
    ['for a microsecond more than a second', '2026-11-20T09:30:13.345001Z', 2],
    ['over midnight', '2026-11-21T00:10:00Z', 52_788],
  ])('suspended %s', async (_how, until, retryAfterSeconds) => {
    const { client, id } = await newClient(MIDDLE_OF_MINUTE, { perMinute: 5 });
    await service.pool.query('update api_keys set suspended_until = $2 where id = $1', [id, until]);
    expect(await client.ask()).toMatchObject({
      status: 429,
      code: 'api_key_banned',
      remaining: 0,
      retryAfterSeconds,
    });
    expect(await client.askAfterRetryAfter()).toMatchObject({ status: 200, remaining: 4 });
  });

  it('suspended for less than its minute lasts, in which nothing remains', async () => {
    const { client, id } = await newClient(MIDDLE_OF_MINUTE, { perMinute: 1 });
    await client.ask();
    await service.pool.query('update api_keys set suspended_until = $2 where id = $1', [
      id,
      '2026-11-20T09:30:20Z',
    ]);
    expect(await client.ask()).toMatchObject({ code: 'api_key_banned', retryAfterSeconds: 48 });
    expect(await client.askAfterRetryAfter()).toMatchObject({ status: 200 });
  });

  it('without a key: is told again that one is required', async () => {
    // Later than all else here: the limiter of addresses follows its clock, which should not go back.
    clock.nowMs = Date.parse('2030-01-01T09:30:12.345Z');
    const client = new PatientClient(service.origin, clock);
    expect(await client.askTimes(60)).toMatchObject({ status: 401, limit: 60, remaining: 0 });
    expect(await client.ask()).toMatchObject({
      status: 429,
      code: 'rate_limit_exceeded',
      retryAfterSeconds: 48,
    });
    expect(await client.askAfterRetryAfter()).toMatchObject({ status: 401, remaining: 59 });
  });
});
