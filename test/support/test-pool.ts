import { Pool, type PoolConfig } from 'pg';

/** Connections to a test's database. That dropping it ends them is no fault, and must not fail the tests. */
export function openTestPool(url: string, options: Omit<PoolConfig, 'connectionString'> = {}): Pool {
  const pool = new Pool({ connectionString: url, ...options });
  pool.on('error', () => undefined);
  return pool;
}
