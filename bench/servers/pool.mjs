// The baselines' connections to PostgreSQL.
import pg from 'pg';

const INT8_OID = 20;

// The cheapest way to read an int64 that is small enough, where `pg` would give a text.
pg.types.setTypeParser(INT8_OID, Number);

/** @param {{ options?: string }} [settings] `options` are server settings for each connection */
export const openPool = (settings = {}) =>
  new pg.Pool({
    connectionString: process.env.DATABASE_URL,
    max: Number(process.env.BENCH_POOL_MAX ?? 10),
    ...settings,
  });
