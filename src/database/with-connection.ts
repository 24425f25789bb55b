import type { Pool, PoolClient } from 'pg';
import { classifyDatabaseError, isContention, NotSentError } from './database-errors.js';

/**
 * Runs a statement on a connection of a pool, unless that comes too late.
 *
 * @param sendBefore a moment of `performance.now()`
 * @throws NotSentError without a connection by then
 */
export async function withConnection<Result>(
  pool: Pool,
  sendBefore: number,
  work: (connection: PoolClient) => Promise<Result>,
): Promise<Result> {
  const connection = await pool.connect().catch((error: unknown) => {
    throw new NotSentError(error);
  });
  if (performance.now() > sendBefore) {
    connection.release();
    throw new NotSentError('no connection in time');
  }
  let broken: Error | boolean = false;
  try {
    return await work(connection);
  } catch (error) {
    // After a lock or a time-out of the server the connection is as good as before, and in a stall there are many of these.
    const isGood = isContention(error) || classifyDatabaseError(error) === 'server-timeout';
    broken = isGood ? false : error instanceof Error ? error : true;
    throw error;
  } finally {
    connection.release(broken);
  }
}
