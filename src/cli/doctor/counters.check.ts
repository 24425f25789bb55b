import { count } from '../progress.js';
import { type Check, ok, warn } from './finding.js';

export const checkCounters: Check['run'] = async ({ client }) => {
  const { rows } = await client.query<{ keys: bigint; missing: bigint }>(
    `select count(*) as keys, count(*) filter (where c.api_key_id is null) as missing
     from api_keys k left join api_key_counters c on c.api_key_id = k.id`,
  );
  const { keys = 0n, missing = 0n } = rows[0] ?? {};
  if (missing === 0n) return ok(`all ${count(keys)} keys have theirs`);
  return warn(
    `${count(missing)} of ${count(keys)} keys have none, and what they counted is lost; the next request of each makes them anew. Find out who deletes from api_key_counters.`,
  );
};
