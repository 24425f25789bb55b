import { Injectable } from '@nestjs/common';
import type { Group } from '../batching/group.js';
import { Batching } from '../batching/batching.js';
import { PrismaService } from '../prisma/prisma.service.js';
import { plainArray, statement } from '../prisma/statement.js';
import type { UsageDay } from './usage.dto.js';

const DAYS = 31;

/**
 * The present day is in the key's live row, the finished ones are history. Only when a clock went back has a day begun anew that
 * is history already: then both count. Rows are the days of the first key, the oldest first, then those of the second.
 */
const DAYS_OF_KEYS = statement(
  'usage_days_of_keys',
  'reads',
  `
    select to_char(of_day.day, 'YYYY-MM-DD') as day,
           coalesce(live.day_admitted, 0) + coalesce(past.admitted, 0) as admitted,
           coalesce(live.day_refused, 0) + coalesce(past.refused, 0) as refused
    from unnest($1::bigint[], $2::timestamptz[]) with ordinality as asked (key_id, now, number)
    cross join lateral generate_series(${DAYS - 1}, 0, -1) as ago
    cross join lateral (select (asked.now at time zone 'UTC')::date - ago as day) as of_day
    left join api_key_counters as live on live.api_key_id = asked.key_id and live.day = of_day.day
    left join api_key_usage as past on past.api_key_id = asked.key_id and past.day = of_day.day
    order by asked.number, of_day.day`,
);

interface UsageQuestion {
  readonly keyId: bigint;
  readonly now: Date;
}

/** The usage of keys by day. Concurrent queries share a statement. */
@Injectable()
export class UsageRepository {
  readonly #days: Group<UsageQuestion, readonly UsageDay[]>;

  constructor(
    batching: Batching,
    private readonly prisma: PrismaService,
  ) {
    this.#days = batching.reads({ name: 'usage_days', send: (questions) => this.#read(questions) });
  }

  /** The last 31 UTC days of a key, the oldest first. */
  days(keyId: bigint, now: Date, deadline: number): Promise<readonly UsageDay[]> {
    return this.#days.ask({ keyId, now }, deadline);
  }

  async #read(questions: readonly UsageQuestion[]): Promise<readonly (readonly UsageDay[])[]> {
    const days = await this.prisma.read<UsageDay>(DAYS_OF_KEYS, [
      plainArray(questions.map(({ keyId }) => keyId)),
      questions.map(({ now }) => now.toISOString()),
    ]);
    return questions.map((_, nth) => days.slice(nth * DAYS, (nth + 1) * DAYS));
  }
}
