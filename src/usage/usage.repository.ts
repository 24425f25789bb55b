import { Injectable } from '@nestjs/common';
import { Database, type Statement } from '../database/database.js';
import type { Group } from '../database/group.js';
import { groupReads } from '../database/groups.js';
import type { UsageDay } from './usage.js';

const DAYS = 31;

/**
 * The present day is in the key's live row, the finished ones are history. Only when a clock went back has a day begun anew that
 * is history already: then both count. Rows are the days of the first key, the oldest first, then those of the second.
 */
export const DAYS_OF_KEYS: Statement = {
  name: 'usage_days_of_keys',
  text: `
    select to_char(of_day.day, 'YYYY-MM-DD'),
           coalesce(live.day_admitted, 0) + coalesce(past.admitted, 0),
           coalesce(live.day_refused, 0) + coalesce(past.refused, 0)
    from unnest($1::bigint[], $2::timestamptz[]) with ordinality as asked (key_id, now, number)
    cross join lateral generate_series(${DAYS - 1}, 0, -1) as ago
    cross join lateral (select (asked.now at time zone 'UTC')::date - ago as day) as of_day
    left join api_key_counters as live on live.api_key_id = asked.key_id and live.day = of_day.day
    left join api_key_usage as past on past.api_key_id = asked.key_id and past.day = of_day.day
    order by asked.number, of_day.day`,
};

interface UsageQuestion {
  readonly keyId: bigint;
  readonly now: Date;
}

/** What keys did, by day. What is asked at the same time goes in one statement. */
@Injectable()
export class UsageRepository {
  readonly #days: Group<UsageQuestion, readonly UsageDay[]>;

  constructor(private readonly database: Database) {
    this.#days = groupReads({ name: 'usage_days', send: (questions) => this.#read(questions) });
  }

  /** The last 31 UTC days of a key, the oldest first. */
  days(keyId: bigint, now: Date, deadline: number): Promise<readonly UsageDay[]> {
    return this.#days.ask({ keyId, now }, deadline);
  }

  async #read(questions: readonly UsageQuestion[]): Promise<readonly (readonly UsageDay[])[]> {
    const rows = await this.database.rows<readonly [day: string, admitted: bigint, refused: bigint]>(
      DAYS_OF_KEYS,
      [questions.map(({ keyId }) => keyId), questions.map(({ now }) => now.toISOString())],
    );
    const days = rows.map(([day, admitted, refused]) => ({ day, admitted, refused }));
    return questions.map((_, nth) => days.slice(nth * DAYS, (nth + 1) * DAYS));
  }
}
