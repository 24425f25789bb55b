import type { Client } from 'pg';
import type { Row } from '../database/statement.js';
import { HOUR_MS, USAGE_OUTCOMES } from '../usage/hour-counts.js';
import { type JsonOption, since } from './arguments.js';
import { column, numberColumn, sparkLine, textColumn } from './output.js';

export interface SinceOption extends JsonOption {
  readonly since: Date;
}

/** Parts that a spark line has, whatever the time is that it spans. */
const PARTS = 24;

export const KEY = [numberColumn('key'), textColumn('name'), column('plan')];
export const OUTCOMES = USAGE_OUTCOMES.map(numberColumn);
export const BY_HOUR = column('over_time');

export const SINCE = [
  '--since <time>',
  'such as 7d, or 2027-01-31T00:00:00Z; 24h by default',
  since,
  since('24h'),
] as const;

/** The first hour that begins no earlier: of the last day, as in the views, 24 hours with the present one. At the latest the present one. */
export const firstHour = (from: Date, nowMs: number): Date =>
  new Date(Math.min(Math.ceil(from.getTime() / HOUR_MS), Math.floor(nowMs / HOUR_MS)) * HOUR_MS);

const REQUESTS_BY_HOUR = `
  select u.api_key_id, u.hour, saturated(sum(u.requests)) as requests
  from generate_series($2::timestamptz, $3::timestamptz, interval '1 hour') as of_hour
  join api_key_usage_hours u on u.hour = of_hour
  where u.api_key_id = any ($1::bigint[])
  group by u.api_key_id, u.hour`;

interface KeyHourRow extends Row {
  readonly api_key_id: bigint;
  readonly hour: string;
  readonly requests: bigint;
}

export const toLine = (row: Row): Row => ({ ...row, key: row['api_key_id'], plan: row['plan_id'] });

/** Lines of keys, with their requests over the time as a spark line. */
export async function withSparkLines(
  client: Client,
  keys: readonly Row[],
  from: Date,
  nowMs: number,
): Promise<readonly Row[]> {
  const { rows } = await client.query<KeyHourRow>(REQUESTS_BY_HOUR, [
    keys.map((row) => row['api_key_id']),
    firstHour(from, nowMs).toISOString(),
    new Date(nowMs).toISOString(),
  ]);
  const lines = sparkLinesOf(rows, (row) => row.api_key_id, from, nowMs);
  return keys.map((row) => ({ ...toLine(row), over_time: lines.get(row['api_key_id']) }));
}

/** A spark line over the time for each name of rows. */
export function sparkLinesOf<Hour extends { readonly hour: string; readonly requests: bigint }>(
  rows: readonly Hour[],
  nameOf: (row: Hour) => unknown,
  from: Date,
  nowMs: number,
): ReadonlyMap<unknown, string> {
  const beginMs = firstHour(from, nowMs).getTime();
  const hours = Math.floor((nowMs - beginMs) / HOUR_MS) + 1;
  const hoursAPart = Math.ceil(hours / PARTS);
  const parts = new Map<unknown, number[]>();
  for (const row of rows) {
    const counts = parts.get(nameOf(row)) ?? Array.from({ length: Math.ceil(hours / hoursAPart) }, () => 0);
    const part = Math.floor((new Date(row.hour).getTime() - beginMs) / HOUR_MS / hoursAPart);
    // Not an hour of a clock that is ahead.
    if (part in counts) counts[part] = (counts[part] ?? 0) + Number(row.requests);
    parts.set(nameOf(row), counts);
  }
  return new Map([...parts].map(([name, counts]) => [name, sparkLine(counts)]));
}
