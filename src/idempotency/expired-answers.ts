import type { Database, Statement } from '../database/database.js';

const DELETE_EXPIRED: Statement = {
  name: 'delete_expired_idempotency_keys',
  text: `
    with expired as (
      select api_key_id, key
      from idempotency_keys
      where expires_at <= now()
      order by expires_at
      limit $1
      for update skip locked)
    delete from idempotency_keys as stored
    using expired
    where stored.api_key_id = expired.api_key_id and stored.key = expired.key
    returning 1`,
};

/** Deletes up to `batchSize` expired answers and tells how many; replicas do not wait for each other. */
export const deleteExpiredAnswers = async (
  database: Pick<Database, 'write'>,
  batchSize: number,
): Promise<number> => (await database.write(DELETE_EXPIRED, [batchSize])).length;
