import type { Pool } from 'pg';
import { type Exchange, groupBy, type History } from './history.js';

export interface LimitFindings {
  /** Windows in which more was admitted than the limit, each as a sentence. */
  readonly exceeded: readonly string[];
  /** Requests that were admitted, as their answers say, and that the tables do not count. */
  readonly uncounted: number;
  /** Windows of which the limit was reached. */
  readonly reached: number;
}

/** Holds what clients were answered against the limit of each window, and against the counts in the tables. */
export async function checkLimits(
  { exchanges }: History,
  pool: Pool,
  tight: { readonly keyIds: ReadonlySet<bigint>; readonly perMinute: number },
): Promise<LimitFindings> {
  const admitted = exchanges.filter(isAdmitted);
  const windows = groupBy(
    admitted.filter(({ keyId }) => tight.keyIds.has(keyId)),
    ({ keyId, resetSeconds }) => `key ${keyId}, minute that ends at ${resetSeconds}`,
  );
  const exceeded: string[] = [];
  let reached = 0;
  for (const [window, { length }] of windows) {
    if (length > tight.perMinute) exceeded.push(`${window}: ${length} of ${tight.perMinute}`);
    if (length >= tight.perMinute) reached += 1;
  }
  const counts = await readCounts(pool);
  let uncounted = 0;
  for (const [keyId, { length }] of groupBy(admitted, (one) => one.keyId)) {
    uncounted += Math.max(0, length - (counts.get(keyId) ?? 0));
  }
  return { exceeded, uncounted, reached };
}

/** Whoever was answered anything else had a request of the key's. A 503 may have been counted, or not. */
const isAdmitted = ({ status }: Exchange): boolean => ![0, 401, 429, 503].includes(status);

async function readCounts(pool: Pool): Promise<ReadonlyMap<bigint, number>> {
  const { rows } = await pool.query<{ id: string; admitted: string }>(
    `select api_key_id::text as id, sum(admitted)::text as admitted
     from (
       select api_key_id, day_admitted as admitted from api_key_counters
       union all
       select api_key_id, admitted from api_key_usage) as days
     group by api_key_id`,
  );
  return new Map(rows.map(({ id, admitted }) => [BigInt(id), Number(admitted)]));
}
