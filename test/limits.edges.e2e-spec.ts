import { describe, expect, it } from '@jest/globals';
import { type ApiResponse, send, tally } from './support/send.js';
import { useReplicas, useService } from './support/use-service.js';

const MINUTE_MS = 60_000;
const PER_MINUTE = 25;
/** Neither a multiple of the minute's limit, nor reached before the last but one of the minutes below. */
const PER_DAY = 60;
/** Past each limit. No ban is to begin: it would hide what the windows leave. */
const REQUESTS = 36;

/** Three replicas by a clock that the test moves while requests are in flight. */
const clock = { nowMs: 0 };
const options = {
  environment: { BAN_AFTER_REFUSALS: '1000000' },
  clock: { nowMs: () => clock.nowMs },
};
const service = useService(options);
const replicas = useReplicas(service, 2, options);

const newKey = () => service.issueKey({ perMinute: PER_MINUTE, perDay: PER_DAY });

/** Requests to all replicas at once. The clock leaps over an edge when the present minute is used up; others are on their way. */
async function loadOver(key: string, leapMs: number): Promise<readonly ApiResponse[]> {
  const sendNumber = (_: unknown, request: number): Promise<ApiResponse> =>
    send([service, ...replicas][request % 3]?.origin ?? '', { key });
  const before = Array.from({ length: REQUESTS }, sendNumber);
  let admitted = 0;
  const usedUp = new Promise<void>((resolve) => {
    for (const one of before) {
      void one.then(({ status }) => {
        if (status === 200 && (admitted += 1) === PER_MINUTE) resolve();
      });
    }
  });
  await Promise.race([usedUp, Promise.all(before)]);
  clock.nowMs += leapMs;
  const after = Array.from({ length: REQUESTS }, sendNumber);
  return await Promise.all([...before, ...after]);
}

describe('a window boundary while three replicas are loaded', () => {
  it('of a minute: exactly the limit on both sides', async () => {
    clock.nowMs = Date.parse('2026-11-20T09:30:59.900Z');
    const { key } = await newKey();
    const responses = await loadOver(key, 200);
    expect(tally(responses)).toMatchObject({ 200: 2 * PER_MINUTE });
    expect(responses.filter(({ status }) => ![200, 429].includes(status))).toEqual([]);
  });

  it.each([
    ['of a day', '2026-11-20T23:59:59.900Z', 200],
    ['of a month and a year, with a leap of some days', '2026-12-31T23:59:59.900Z', 3 * 86_400_000],
    ['to the leap day', '2028-02-28T23:59:59.900Z', 200],
    ['from the leap day', '2028-02-29T23:59:59.900Z', 200],
  ])(
    '%s: exactly the limits on both sides, and the finished day in the history',
    async (_edge, start, leapMs) => {
      clock.nowMs = Date.parse(start) - MINUTE_MS;
      const { id, key } = await newKey();
      // The day's limit has room for this minute, the next one, and a part of a third.
      const first = await loadOver(key, MINUTE_MS);
      expect(tally(first)).toMatchObject({ 200: 2 * PER_MINUTE });
      const second = await loadOver(key, leapMs);
      // Nothing was left of the minute before midnight; the new day begins with a whole minute.
      expect(tally(second)).toMatchObject({ 200: PER_MINUTE });
      const { rows } = await service.pool.query(
        `select
         (select admitted from api_key_usage where api_key_id = $1 and day = $2) as finished,
         (select day_admitted from api_key_counters where api_key_id = $1) as present`,
        [id, start.slice(0, 10)],
      );
      expect(rows).toEqual([{ finished: BigInt(2 * PER_MINUTE), present: BigInt(PER_MINUTE) }]);
    },
  );

  it('keeps a daily limit across its minutes', async () => {
    clock.nowMs = Date.parse('2026-11-22T12:00:30.000Z');
    const { key } = await newKey();
    const admitted: number[] = [];
    for (let minute = 0; minute < 3; minute += 1) {
      admitted.push(tally(await loadOver(key, MINUTE_MS))['200'] ?? 0);
      clock.nowMs += MINUTE_MS;
    }
    expect(admitted).toEqual([2 * PER_MINUTE, PER_DAY - 2 * PER_MINUTE, 0]);
  });
});
