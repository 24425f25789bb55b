import { Injectable } from '@nestjs/common';
import { Database, type Statement } from '../database/database.js';
import type { UsageDay } from './usage.js';

/** The present day is in the key's live row, the finished ones are history; $2 replaces the clock in tests alone. */
const DAYS_OF_KEY: Statement = {
  name: 'usage_days_of_key',
  text: `
    select to_char(of_day.day, 'YYYY-MM-DD'),
           coalesce(live.day_admitted, past.admitted, 0),
           coalesce(live.day_refused, past.refused, 0)
    from (select (coalesce($2::timestamptz, now()) at time zone 'UTC')::date as today) as clock
    cross join lateral generate_series(0, 30) as ago
    cross join lateral (select today - (30 - ago) as day) as of_day
    left join api_key_counters as live on live.api_key_id = $1 and live.day = of_day.day
    left join api_key_usage as past on past.api_key_id = $1 and past.day = of_day.day
    order by of_day.day`,
};

/** What keys did, by day. */
@Injectable()
export class UsageRepository {
  constructor(private readonly database: Database) {}

  /** The last 31 UTC days of a key, the oldest first. */
  async days(keyId: bigint, today: Date): Promise<readonly UsageDay[]> {
    const rows = await this.database.rows<readonly [string, number, number]>(DAYS_OF_KEY, [
      keyId,
      today.toISOString(),
    ]);
    return rows.map(([day, admitted, refused]) => ({ day, admitted, refused }));
  }
}
