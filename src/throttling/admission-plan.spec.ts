import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { Client } from 'pg';
import { makeManyKeys, hashOfKey, MANY_KEYS } from '../../test/support/admission/many-keys.js';
import { createTestDatabase, type TestDatabase } from '../../test/support/database.js';
import { admissionSql } from './admission-sql.js';
import { AdmissionStatement } from './admission-statement.js';

const POLICY = { banAfterRefusals: 20, banSeconds: 60, banMaxSeconds: 3600 };

/** The tables that grow with the number of keys. */
const LARGE_TABLES = ['api_keys', 'api_key_secrets', 'api_key_counters', 'api_key_usage'];

interface PlanNode {
  readonly 'Node Type': string;
  readonly 'Relation Name'?: string;
  readonly 'Total Cost': number;
  readonly Plans?: readonly PlanNode[];
}

const nodesOf = (node: PlanNode): readonly PlanNode[] => [node, ...(node.Plans ?? []).flatMap(nodesOf)];

describe('the admission statement with many keys', () => {
  let database: TestDatabase;
  let client: Client;
  let statement: AdmissionStatement;

  beforeAll(async () => {
    database = await createTestDatabase();
    client = new Client({ connectionString: database.url });
    await client.connect();
    await makeManyKeys(client, MANY_KEYS);
    statement = new AdmissionStatement(client, POLICY, { named: true });
  }, 120_000);

  afterAll(async () => {
    await client.end();
    await database.drop();
  });

  it('finds every row of a key by an index, too cheap to be worth compiling', async () => {
    await client.query('set plan_cache_mode = force_generic_plan');
    await client.query(
      `prepare admission_plan (bytea[], int[], timestamptz, int, int, int) as ${admissionSql}`,
    );
    const { rows } = await client.query<{ 'QUERY PLAN': readonly [{ readonly Plan: PlanNode }] }>(
      `explain (format json) execute admission_plan ('{}', '{}', null, 20, 60, 3600)`,
    );
    await client.query('reset plan_cache_mode');
    const plan = rows[0]?.['QUERY PLAN'][0].Plan;
    const nodes = plan === undefined ? [] : nodesOf(plan);
    const access = nodes.filter((node) => LARGE_TABLES.includes(node['Relation Name'] ?? ''));
    const read = access.filter((node) => node['Node Type'] !== 'ModifyTable');
    expect(new Set(access.map((node) => node['Relation Name']))).toEqual(new Set(LARGE_TABLES));
    expect(new Set(read.map((node) => node['Node Type']))).toEqual(new Set(['Index Scan']));
    const { rows: settings } = await client.query<{ cost: number }>(
      `select setting::float8 as cost from pg_settings where name = 'jit_above_cost'`,
    );
    expect(plan?.['Total Cost']).toBeLessThan(settings[0]?.cost ?? 0);
  });

  it('is planned once a connection, for groups of any size', async () => {
    for (const size of [1, 1, 1, 1, 1, 64, 1, 64, 1, 1]) {
      await statement.decide(Array.from({ length: size }, (_, n) => hashOfKey(n + 1)));
    }
    const { rows } = await client.query(
      `select custom_plans::int, generic_plans::int from pg_prepared_statements where name = 'admission'`,
    );
    // PostgreSQL tries five plans with the values in view before it settles on one without.
    expect(rows).toEqual([{ custom_plans: 5, generic_plans: 5 }]);
  });

  it('updates counters without a new entry in any index', async () => {
    const before = await updates(client);
    // Each key once: for this half of a page is room enough. For more, PostgreSQL first clears away the old versions, and
    // an open transaction anywhere on the server, of another test for one, can keep it from that.
    for (let group = 0; group < 300; group += 1) {
      await statement.decide(Array.from({ length: 32 }, (_, n) => hashOfKey(1001 + group * 32 + n)));
    }
    const after = await updates(client);
    expect(after.all - before.all).toBe(300 * 32);
    expect(after.hot - before.hot).toBe(300 * 32);
  }, 60_000);
});

async function updates(client: Client): Promise<{ readonly all: number; readonly hot: number }> {
  // A session tells its counts to the others now and then: now.
  await client.query('select pg_stat_force_next_flush()');
  const { rows } = await client.query<{ all: number; hot: number }>(
    `select n_tup_upd::int as all, n_tup_hot_upd::int as hot
     from pg_stat_user_tables where relname = 'api_key_counters'`,
  );
  return rows[0] ?? { all: 0, hot: 0 };
}
