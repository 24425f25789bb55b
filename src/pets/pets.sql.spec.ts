import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import type { Pool } from 'pg';
import { createTestDatabase, type TestDatabase } from '../../test/support/database.js';
import { openTestPool } from '../../test/support/test-pool.js';
import { LIST_PETS } from './pets.sql.js';

interface Plan {
  readonly 'Node Type': string;
  readonly 'Index Name'?: string;
  readonly 'Actual Rows': number;
  readonly 'Actual Loops': number;
  readonly 'Rows Removed by Filter'?: number;
  readonly Plans?: readonly Plan[];
}

let database: TestDatabase;
let pool: Pool;

beforeAll(async () => {
  database = await createTestDatabase();
  pool = openTestPool(database.url, { max: 1 });
  // The few sold pets come last.
  await pool.query(`
    insert into pets (name, category_id, status)
    select 'Pet', 1, case when n > 19990 then 'sold' else 'available' end::pet_status from generate_series(1, 20000) as n`);
  await pool.query('analyze pets');
});
afterAll(async () => {
  await pool.end();
  await database.drop();
});

const nodesOf = (plan: Plan): readonly Plan[] => [plan, ...(plan.Plans ?? []).flatMap(nodesOf)];

describe('the pages of pets', () => {
  it('reads no more pets than its pages return, also of a rare status, by the plan that serves all lengths', async () => {
    await pool.query(`set plan_cache_mode = force_generic_plan`);
    await pool.query(`prepare list_pets as ${LIST_PETS.text}`);
    const { rows } = await pool.query<{ 'QUERY PLAN': [{ Plan: Plan }] }>(
      `explain (analyze, format json) execute list_pets('{1,1,500}', '{20,20,20}', '{null,sold,available}')`,
    );
    const nodes = nodesOf(rows[0]?.['QUERY PLAN'][0].Plan as Plan);
    const scans = nodes.filter((node) => node['Index Name'] !== undefined);
    expect(new Set(scans.map((node) => node['Index Name']))).toEqual(
      new Set(['pets_pkey', 'pets_status_id_idx']),
    );
    expect(nodes.filter((node) => node['Node Type'] === 'Seq Scan')).toEqual([]);
    for (const node of nodes) expect(node['Rows Removed by Filter'] ?? 0).toBe(0);
    const read = scans.reduce((sum, node) => sum + node['Actual Rows'] * node['Actual Loops'], 0);
    expect(read).toBeLessThanOrEqual(21 + 10 + 21 + 3);
  });
});
