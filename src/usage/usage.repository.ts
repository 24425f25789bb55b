import { Injectable } from '@nestjs/common';
import type { Batcher } from '../batching/batcher.js';
import { Batching } from '../batching/batching.js';
import { PrismaService } from '../database/prisma.service.js';
import { plainArray, statement } from '../database/statement.js';
import type { UsageDay, UsageHour, UsageHourCount } from './usage.dto.js';
import { USAGE_DAYS, USAGE_HOURS } from './hour-counts.js';

/**
 * The last 31 days of keys. The present day is in the counters, the finished ones are history: one statement reads both, so a
 * day that ends meanwhile is neither missing nor counted twice. A day is in both only if the clock was set back; then both count. Rows
 * are ordered by key, then by day.
 */
const DAYS_OF_KEYS = statement(
  'usage_days_of_keys',
  `
    select to_char(of_day.day, 'YYYY-MM-DD') as day,
           coalesce(live.day_admitted, 0) + coalesce(past.admitted, 0) as admitted,
           coalesce(live.day_refused, 0) + coalesce(past.refused, 0) as refused
    from unnest($1::bigint[], $2::timestamptz[]) with ordinality as wanted (key_id, now, number)
    cross join lateral generate_series(${USAGE_DAYS - 1}, 0, -1) as ago
    cross join lateral (select (wanted.now at time zone 'UTC')::date - ago as day) as of_day
    left join api_key_counters as live on live.api_key_id = wanted.key_id and live.day = of_day.day
    left join api_key_usage as past on past.api_key_id = wanted.key_id and past.day = of_day.day
    order by wanted.number, of_day.day`,
);

/** Rows of a key in an hour: more than there are operations and outcomes. */
export const COUNTS_MAX = 300;

/** The last hours of keys, ordered by key, then by hour. An hour without requests is a row without an operation. */
const HOURS_OF_KEYS = statement(
  'usage_hours_of_keys',
  `
    select wanted.number::int, of_hour.hour, u.operation, u.outcome, u.requests
    from unnest($1::bigint[], $2::timestamptz[]) with ordinality as wanted (key_id, now, number)
    cross join lateral generate_series(${USAGE_HOURS - 1}, 0, -1) as ago
    cross join lateral (select date_trunc('hour', wanted.now, 'UTC') - ago * interval '1 hour' as hour) as of_hour
    left join lateral (
      select operation, outcome, requests
      from api_key_usage_hours
      where hour = of_hour.hour and api_key_id = wanted.key_id
      limit ${COUNTS_MAX}
    ) as u on true
    order by wanted.number, of_hour.hour, u.operation, u.outcome`,
);

interface HourRow extends Omit<UsageHourCount, 'operation'> {
  readonly operation: string | null;
  /** The 1-based index of the query in the batch. */
  readonly number: number;
  readonly hour: Date;
}

interface UsageQuery {
  readonly keyId: bigint;
  readonly now: Date;
}

/** The usage of keys by day and hour. Concurrent queries share a statement. */
@Injectable()
export class UsageRepository {
  /** The last 31 UTC days of a key, the oldest first. */
  readonly days: Batcher<UsageQuery, readonly UsageDay[]>['load'];
  /** The last 24 hours of a key, the oldest first. They may lack counts that replicas have not written. */
  readonly hours: Batcher<UsageQuery, readonly UsageHour[]>['load'];

  constructor(
    batching: Batching,
    private readonly prisma: PrismaService,
  ) {
    this.days = batching.batchReads<UsageQuery, readonly UsageDay[]>({
      name: 'usage_days',
      send: (queries) => this.#readDays(queries),
    }).load;
    this.hours = batching.batchReads<UsageQuery, readonly UsageHour[]>({
      name: 'usage_hours',
      send: (queries) => this.#readHours(queries),
    }).load;
  }

  async #readDays(queries: readonly UsageQuery[]): Promise<readonly (readonly UsageDay[])[]> {
    const days = await this.prisma.read<UsageDay>(DAYS_OF_KEYS, toValues(queries));
    return queries.map((_, nth) => days.slice(nth * USAGE_DAYS, (nth + 1) * USAGE_DAYS));
  }

  async #readHours(queries: readonly UsageQuery[]): Promise<readonly (readonly UsageHour[])[]> {
    const results = queries.map((): { hour: Date; counts: UsageHourCount[] }[] => []);
    const rows = await this.prisma.read<HourRow>(HOURS_OF_KEYS, toValues(queries));
    for (const { number, hour, operation, outcome, requests } of rows) {
      const hours = results[number - 1] ?? [];
      if (hours.at(-1)?.hour.getTime() !== hour.getTime()) hours.push({ hour, counts: [] });
      if (operation !== null) hours.at(-1)?.counts.push({ operation, outcome, requests });
    }
    return results;
  }
}

const toValues = (queries: readonly UsageQuery[]): readonly unknown[] => [
  plainArray(queries.map(({ keyId }) => keyId)),
  queries.map(({ now }) => now.toISOString()),
];
