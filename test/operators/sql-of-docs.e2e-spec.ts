import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { cwd } from 'node:process';
import { Client } from 'pg';
import { createTestDatabase, type TestDatabase } from '../support/database.js';
import { DOCUMENTED_SQL } from '../support/code-of-docs.js';
import { asSuperuser, grantRoles, loginAs, type TestLogin } from '../support/operator-roles.js';
import { issueKeys } from '../support/issue-keys.js';
import { openTestPool } from '../support/test-pool.js';

const document = readFileSync(join(cwd(), 'docs', 'operations.md'), 'utf8');

/** Whom the text names. Without a word it is an operator. */
const SUPERUSERS = /create role|pg_terminate_backend/;
const OWNERS = /alter table|lock table|pet_inventory|wanted_rights|update api_key_counters/;
const ofOperators = DOCUMENTED_SQL.filter((sql) => !SUPERUSERS.test(sql) && !OWNERS.test(sql));
/** The key that the document uses. */
const KEY = 7;

let database: TestDatabase;
let login: TestLogin;
let operator: Client;
let owner: Client;
let superuser: Client;

beforeAll(async () => {
  database = await createTestDatabase();
  await grantRoles(database.url, 'superuser');
  const pool = openTestPool(database.url, { max: 1 });
  await issueKeys(pool, KEY, { plan: 'pro' });
  await pool.query('select rotate_api_key($1)', [KEY]);
  await pool.end();
  login = await loginAs('petstore_operator', database.url);
  operator = new Client({ connectionString: login.url });
  owner = new Client({ connectionString: database.url });
  superuser = new Client({ connectionString: asSuperuser(database.url) });
  await Promise.all([operator, owner, superuser].map((client) => client.connect()));
  // As deploy/postgres/roles.sh does for all operators.
  await superuser.query(`grant pg_read_all_stats to ${login.name}`);
});
afterAll(async () => {
  await Promise.all([operator, owner, superuser].map((client) => client.end()));
  await database.drop();
  await login.drop();
});

describe('the SQL in docs/operations.md and docs/alerts.md works as pasted', () => {
  beforeEach(() => Promise.all([operator, owner, superuser].map((client) => client.query('begin'))));
  afterEach(() => Promise.all([operator, owner, superuser].map((client) => client.query('rollback'))));

  it('is found', () => {
    expect(ofOperators.length).toBeGreaterThan(60);
  });

  it.each(ofOperators)('by an operator: %s', async (sql) => {
    const [, plan] = /(?:delete|rename)_plan\('(\w+)'/.exec(sql) ?? [];
    if (plan !== undefined) await operator.query('select create_plan($1, custom => true)', [plan]);
    await expect(operator.query(sql)).resolves.toBeDefined();
  });

  it.each(DOCUMENTED_SQL.filter((sql) => OWNERS.test(sql)))('by the owner: %s', async (sql) => {
    await expect(owner.query(sql.replaceAll(/^(?:begin|commit);$/gm, ''))).resolves.toBeDefined();
  });

  it.each(DOCUMENTED_SQL.filter((sql) => SUPERUSERS.test(sql)))('by a superuser: %s', async (sql) => {
    // No process has the number 0.
    await expect(superuser.query(sql.replace('(pid)', '(0)'))).resolves.toBeDefined();
  });

  it('shows an operator the transaction of another that is open, and its statement', async () => {
    const sql = DOCUMENTED_SQL.find((one) => one.includes(`state like 'idle in%'`));
    await owner.query(`select 'planted'`);
    const { rows } = await operator.query<{ query: string }>(sql ?? '');
    expect(rows.map(({ query }) => query)).toContain(`select 'planted'`);
  });
});

describe('docs/operations.md names', () => {
  it('every function and view of operators', async () => {
    const names = ['functions', 'views'].flatMap((folder) => readdirSync(`prisma/sql/operators/${folder}`));
    expect(names.length).toBeGreaterThan(25);
    for (const name of names.filter((one) => one !== 'api_key_overview_of.sql'))
      expect(document).toContain(`select * from ${name.replace('.sql', '')}`);
  });
});
