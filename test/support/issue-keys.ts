import type { Pool } from 'pg';

export interface TestKey {
  readonly id: bigint;
  readonly key: string;
}

/** Many keys in one statement, on a plan of the migrations; without numbers of their own theirs are the plan's. */
export async function issueKeys(
  pool: Pool,
  count: number,
  { plan = 'business', perMinute, perDay }: { plan?: string; perMinute?: number; perDay?: number } = {},
): Promise<readonly TestKey[]> {
  const { rows } = await pool.query<{ id: string; key: string }>(
    `select issued.id::text, issued.key
     from generate_series(1, $1) as n
     cross join lateral issue_api_key('test ' || n, $2, $3, $4) as issued`,
    [count, plan, perMinute ?? null, perDay ?? null],
  );
  return rows.map(({ id, key }) => ({ id: BigInt(id), key }));
}
