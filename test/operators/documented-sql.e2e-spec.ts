import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { cwd } from 'node:process';
import { Client } from 'pg';
import { createTestDatabase, type TestDatabase } from '../support/database.js';
import { asSuperuser, grantRoles, loginAs, type TestLogin } from '../support/operator-roles.js';
import { issueKeys } from '../support/issue-keys.js';
import { openTestPool } from '../support/test-pool.js';

const document = readFileSync(join(cwd(), 'docs', 'operations.md'), 'utf8');

/** Statements that a reader would paste: the SQL in blocks, and whole statements in the text and the tables. */
const pasted = [
  ...[...document.matchAll(/^ *```sql\n(.*?)^ *```$/gms)].map(([, sql]) => sql ?? ''),
  ...[...document.matchAll(/`((?:select|insert|update|delete) [^`]*;)`/g)].map(([, sql]) => sql ?? ''),
];
/** Statements for the owner. */
const OWNERS = /alter table|create role|lock table|pet_inventory/;
/** The key that the document uses. */
const KEY = 7;

let database: TestDatabase;
let login: TestLogin;
let operator: Client;
let superuser: Client;

beforeAll(async () => {
  database = await createTestDatabase();
  await grantRoles(database.url, 'superuser');
  const owner = openTestPool(database.url, { max: 1 });
  await issueKeys(owner, KEY, { plan: 'pro' });
  await owner.query('select rotate_api_key($1)', [KEY]);
  await owner.end();
  login = await loginAs('petstore_operator', database.url);
  operator = new Client({ connectionString: login.url });
  superuser = new Client({ connectionString: asSuperuser(database.url) });
  await Promise.all([operator.connect(), superuser.connect()]);
});
afterAll(async () => {
  await Promise.all([operator.end(), superuser.end()]);
  await database.drop();
  await login.drop();
});

describe('the SQL in docs/operations.md works as pasted', () => {
  beforeEach(() => Promise.all([operator, superuser].map((client) => client.query('begin'))));
  afterEach(() => Promise.all([operator, superuser].map((client) => client.query('rollback'))));

  it('is found', () => {
    expect(pasted.length).toBeGreaterThan(40);
  });

  it.each(pasted.filter((sql) => !OWNERS.test(sql)))('by an operator: %s', async (sql) => {
    if (sql.includes('delete_plan')) await operator.query(`select create_plan('bespoke', custom => true)`);
    await expect(operator.query(sql)).resolves.toBeDefined();
  });

  it.each(pasted.filter((sql) => OWNERS.test(sql)))('by the owner: %s', async (sql) => {
    await expect(superuser.query(sql.replace(/^(?:begin|commit);$/gm, ''))).resolves.toBeDefined();
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
