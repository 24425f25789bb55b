import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { Client } from 'pg';
import { makeManyKeys, hashOfKey, MANY_KEYS } from '../../../test/support/admission/many-keys.js';
import { nodesOf, planOf } from '../../../test/support/admission/query-plans.js';
import { createTestDatabase, type TestDatabase } from '../../../test/support/database.js';
import { WholeAdmissionStatement } from '../../../test/support/admission/whole-admission-statement.js';

const NOON = new Date('2026-11-20T12:00:00Z');
const POLICY = { banAfterRefusals: 20, banSeconds: 60, banMaxSeconds: 3600 };

const GROUPS = 300;
/** Requests in each, of different keys. */
const SIZE = 32;
/** The keys before are other tests'. */
const FIRST_KEY = 1001;

/** The tables that grow with the number of keys; a plain case does not touch the history. */
const LARGE_TABLES = ['api_keys', 'api_key_secrets', 'api_key_counters', 'api_key_usage'];
const TABLES_OF_PLAIN = LARGE_TABLES.filter((table) => table !== 'api_key_usage');

/** A new generation is one in 125 at random: that it is one in 50 of thousands is as good as impossible. */
function expectNearlyAllHot({ all, hot }: { readonly all: number; readonly hot: number }): void {
  expect(all).toBe(GROUPS * SIZE);
  expect(hot).toBeGreaterThan(0.98 * all);
  expect(hot).toBeLessThan(all);
}

describe('the admission statements with many keys', () => {
  let database: TestDatabase;
  let client: Client;
  let statement: WholeAdmissionStatement;

  beforeAll(async () => {
    database = await createTestDatabase();
    client = new Client({ connectionString: database.url });
    await client.connect();
    await makeManyKeys(client, MANY_KEYS);
    statement = new WholeAdmissionStatement({ queryable: client, named: true }, POLICY);
  });

  afterAll(async () => {
    await client.end();
    await database.drop();
  });

  it.each([
    ['plain', TABLES_OF_PLAIN],
    ['general', LARGE_TABLES],
  ] as const)(
    'find every row of a key by an index, too cheap to be worth compiling (%s)',
    async (kind, tables) => {
      const plan = await planOf[kind](client);
      const access = nodesOf(plan).filter((node) => LARGE_TABLES.includes(node['Relation Name'] ?? ''));
      const read = access.filter((node) => node['Node Type'] !== 'ModifyTable');
      expect(new Set(access.map((node) => node['Relation Name']))).toEqual(new Set(tables));
      expect(new Set(read.map((node) => node['Node Type']))).toEqual(new Set(['Index Scan']));
      const { rows: settings } = await client.query<{ cost: number }>(
        `select setting::float8 as cost from pg_settings where name = 'jit_above_cost'`,
      );
      expect(plan['Total Cost']).toBeLessThan(settings[0]?.cost ?? 0);
    },
  );

  it('are planned once per connection, for any batch size', async () => {
    // Keys that were not counted today are no plain case, and need the general statement, too.
    let next = 1;
    for (const size of [1, 2, 1, 64, 1, 2, 1, 64, 1, 2, 1, 64, 1, 2, 1, 64]) {
      await statement.decide(Array.from({ length: size }, () => hashOfKey(next++)));
    }
    const { rows } = await client.query(
      `select name, custom_plans::int, generic_plans::int
       from pg_prepared_statements where name like '%admission%' order by name`,
    );
    // PostgreSQL tries five plans with the values in view before it settles on one without.
    expect(rows).toEqual([
      { name: 'admission', custom_plans: 5, generic_plans: 11 },
      { name: 'plain_admission', custom_plans: 5, generic_plans: 11 },
    ]);
  });

  // Each key once: for this half of a page is room enough. For more, PostgreSQL first clears away the old versions, and
  // an open transaction anywhere on the server, of another test for one, can keep it from that.
  it('add an index entry only once every few hundred updates (general)', async () => {
    expectNearlyAllHot(await updatesBy(FIRST_KEY));
  });

  it('add an index entry only once every few hundred updates (plain)', async () => {
    const first = FIRST_KEY + GROUPS * SIZE;
    const hashes = Array.from({ length: GROUPS * SIZE }, (_, n) => hashOfKey(first + n));
    await client.query(
      `update api_key_counters
       set minute = date_trunc('day', $1::timestamptz, 'UTC'), day = ($1::timestamptz at time zone 'UTC')::date
       where api_key_id in (select api_key_id from api_key_secrets where hash = any ($2::bytea[]))`,
      [NOON, hashes],
    );
    await client.query('vacuum full api_key_counters');
    const general = await timesRun('admission');
    expectNearlyAllHot(await updatesBy(first));
    expect(await timesRun('admission')).toBe(general);
  });

  /** Of one request at noon with each key of some groups, from the n-th on. */
  async function updatesBy(first: number): Promise<{ readonly all: number; readonly hot: number }> {
    const before = await updates(client);
    for (let group = 0; group < GROUPS; group += 1) {
      const hashes = Array.from({ length: SIZE }, (_, n) => hashOfKey(first + group * SIZE + n));
      await statement.decide(hashes, NOON);
    }
    const after = await updates(client);
    return { all: after.all - before.all, hot: after.hot - before.hot };
  }

  async function timesRun(name: string): Promise<number> {
    const { rows } = await client.query<{ times: number }>(
      'select (custom_plans + generic_plans)::int as times from pg_prepared_statements where name = $1',
      [name],
    );
    return rows[0]?.times ?? 0;
  }
});

async function updates(client: Client): Promise<{ readonly all: number; readonly hot: number }> {
  // A session publishes its counts from time to time: now.
  await client.query('select pg_stat_force_next_flush()');
  const { rows } = await client.query<{ all: number; hot: number }>(
    `select n_tup_upd::int as all, n_tup_hot_upd::int as hot
     from pg_stat_user_tables where relname = 'api_key_counters'`,
  );
  return rows[0] ?? { all: 0, hot: 0 };
}
