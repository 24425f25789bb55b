import { Injectable } from '@nestjs/common';
import type { Batcher } from '../batching/batcher.js';
import { Batching } from '../batching/batching.js';
import { PrismaService } from '../prisma/prisma.service.js';
import { plainArray, statement } from '../database/statement.js';
import type { UsageDay } from './usage.dto.js';
import { USAGE_DAYS } from './usage-days.js';

/**
 * The last 31 days of keys. The present day is in the counters, the finished ones are history: one statement reads both, so that a
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

interface UsageQuery {
  readonly keyId: bigint;
  readonly now: Date;
}

/** The usage of keys by day. Concurrent queries share a statement. */
@Injectable()
export class UsageRepository {
  readonly #days: Batcher<UsageQuery, readonly UsageDay[]>;

  constructor(
    batching: Batching,
    private readonly prisma: PrismaService,
  ) {
    this.#days = batching.batchReads({ name: 'usage_days', send: (queries) => this.#read(queries) });
  }

  /** The last 31 UTC days of a key, the oldest first. */
  days(keyId: bigint, now: Date, deadline: number): Promise<readonly UsageDay[]> {
    return this.#days.load({ keyId, now }, deadline);
  }

  async #read(queries: readonly UsageQuery[]): Promise<readonly (readonly UsageDay[])[]> {
    const days = await this.prisma.read<UsageDay>(DAYS_OF_KEYS, [
      plainArray(queries.map(({ keyId }) => keyId)),
      queries.map(({ now }) => now.toISOString()),
    ]);
    return queries.map((_, nth) => days.slice(nth * USAGE_DAYS, (nth + 1) * USAGE_DAYS));
  }
}
