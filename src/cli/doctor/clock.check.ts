import { type Check, ok, warn } from './finding.js';

/** From here on a reset or a log of one machine does not fit what the other says. */
const DIFFERENCE_MAX_MS = 2000;

export const checkClock: Check['run'] = async ({ client, nowMs }) => {
  const before = nowMs();
  const { rows } = await client.query<{ ms: number }>(
    'select (extract(epoch from clock_timestamp()) * 1000)::float8 as ms',
  );
  const after = nowMs();
  // The answer was made at some instant between the two.
  const between = Math.min(Math.max(rows[0]?.ms ?? 0, before), after);
  const aheadMs = Math.round((rows[0]?.ms ?? 0) - between);
  const seconds = (Math.abs(aheadMs) / 1000).toFixed(1);
  if (Math.abs(aheadMs) <= DIFFERENCE_MAX_MS) return ok('the database and this machine agree');
  return warn(
    `the database is ${seconds} s ${aheadMs > 0 ? 'ahead of' : 'behind'} this machine: limits go by the database's clock, logs by the other; synchronise both (NTP).`,
  );
};
