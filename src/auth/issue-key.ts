import type { Database } from '../database/database.js';

export interface IssueKey {
  readonly name: string;
  readonly plan: string;
  readonly perMinute?: number;
  readonly perDay?: number;
  readonly expires?: Date;
}

/** A key that was just made. The plain key is not stored: this is the only time that anybody sees it. */
export interface IssuedKey {
  readonly id: bigint;
  readonly key: string;
  readonly plan: string;
  readonly requestsPerMinute: number;
  readonly requestsPerDay: number;
  readonly expiresAt: string | null;
}

/** Makes a key by the database's own function, the same that operators call in SQL. */
export async function issueKey(
  prisma: Pick<Database['prisma'], '$queryRaw'>,
  wanted: IssueKey,
): Promise<IssuedKey> {
  const { name, plan, perMinute = null, perDay = null, expires = null } = wanted;
  const [row] = await prisma.$queryRaw<[IssuedRow]>`
    select id, key, plan_id, requests_per_minute, requests_per_day, expires_at
    from issue_api_key(${name}, ${plan}, ${perMinute}::int, ${perDay}::int, ${expires}::timestamptz)`;
  return {
    id: row.id,
    key: row.key,
    plan: row.plan_id,
    requestsPerMinute: row.requests_per_minute,
    requestsPerDay: row.requests_per_day,
    expiresAt: row.expires_at?.toISOString() ?? null,
  };
}

interface IssuedRow {
  readonly id: bigint;
  readonly key: string;
  readonly plan_id: string;
  readonly requests_per_minute: number;
  readonly requests_per_day: number;
  readonly expires_at: Date | null;
}
