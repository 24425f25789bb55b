import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { escapeIdentifier, type Pool, type PoolClient } from 'pg';
import { warmUpOf } from '../src/prisma/warm-up.js';
import { openTestPool } from './support/test-pool.js';
import { useService } from './support/use-service.js';

/** Sessions of another program. */
let others: Pool;

/** A server that would compile every statement, as one with a million pets would the lists. */
const service = useService({
  prepare: async (url) => {
    const pool = openTestPool(url, { max: 1 });
    const name = escapeIdentifier(new URL(url).pathname.slice(1));
    await pool.query(`alter database ${name} set jit = on`);
    for (const cost of ['jit_above_cost', 'jit_inline_above_cost', 'jit_optimize_above_cost']) {
      await pool.query(`alter database ${name} set ${cost} = 0`);
    }
    await pool.end();
  },
});

beforeAll(async () => {
  await warmUpOf(service.prisma, () => undefined).onApplicationBootstrap();
  others = openTestPool(service.databaseUrl, { max: 1 });
});
afterAll(() => others.end());

const rowsOf = async <Row extends object>(client: Pool | PoolClient, query: string): Promise<Row[]> =>
  (await client.query<Row>(query)).rows;

async function planOf(client: Pool | PoolClient, statement: string): Promise<string> {
  const rows = await rowsOf<{ 'QUERY PLAN': string }>(client, `explain ${statement}`);
  return rows.map((row) => row['QUERY PLAN']).join('\n');
}

describe('a server whose costs would compile every statement', () => {
  // The embedded server has no compiler: there the settings alone are shown, on others the plans as well.
  it('compiles those of other programs, where it has a compiler', async () => {
    const [{ available } = { available: false }] = await rowsOf<{ available: boolean }>(
      others,
      'select pg_jit_available() as available',
    );
    expect(/^JIT:/m.test(await planOf(others, 'select count(*) from pets'))).toBe(available);
    expect(await rowsOf(others, 'show jit')).toEqual([{ jit: 'on' }]);
  });

  it('compiles no statement of requests', async () => {
    for (const pool of service.prisma.connections.all) {
      const client = await pool.connect();
      try {
        expect(await rowsOf(client, 'show jit')).toEqual([{ jit: 'off' }]);
        // As they are planned once they were run a few times.
        await client.query('set plan_cache_mode = force_generic_plan');
        const statements = await rowsOf<{ name: string; parameters: number }>(
          client,
          `select name, cardinality(parameter_types) as parameters from pg_prepared_statements where not from_sql`,
        );
        expect(statements.length).toBeGreaterThan(0);
        for (const { name, parameters } of statements) {
          const values = Array.from({ length: parameters }, () => 'null').join(', ');
          const plan = await planOf(
            client,
            `execute ${escapeIdentifier(name)}${values === '' ? '' : `(${values})`}`,
          );
          expect(plan).toContain('cost=');
          expect(plan).not.toContain('JIT:');
        }
      } finally {
        client.release(true);
      }
    }
  });
});
