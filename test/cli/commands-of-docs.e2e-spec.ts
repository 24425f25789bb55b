import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import type { Pool } from 'pg';
import { createTestDatabase, type TestDatabase } from '../support/database.js';
import { DOCUMENTED_CALLS } from '../support/code-of-docs.js';
import { issueKeys } from '../support/issue-keys.js';
import { grantRoles, loginAs, type TestLogin } from '../support/operator-roles.js';
import { rejectionOf } from '../support/sql-outcome.js';
import { openTestPool } from '../support/test-pool.js';
import { type Petstore, petstoreOn } from './support/petstore.js';
import { shellWords } from './support/shell-words.js';

/** The key that the documents use. */
const KEY = 7;

let database: TestDatabase;
let owner: Pool;
/** With the tables of the document. */
let folder: string;
let login: TestLogin;
let byOperator: Petstore;
let byOwner: Petstore;

beforeAll(async () => {
  database = await createTestDatabase();
  // "The first time as a superuser."
  await grantRoles(database.url, 'superuser');
  owner = openTestPool(database.url, { max: 1 });
  login = await loginAs('petstore_operator', database.url);
  byOperator = petstoreOn(login.url);
  byOwner = petstoreOn(database.url);
  folder = await mkdtemp(join(tmpdir(), 'petstore-documented-'));
  await writeFile(
    join(folder, 'customers.csv'),
    /```csv\n(.*?)```/s.exec(await readFile('docs/operations.md', 'utf8'))?.[1] ?? '',
  );
  await writeFile(join(folder, 'service.log'), '');
  await issueKeys(owner, KEY, { plan: 'pro' });
  await owner.query(
    `insert into api_key_secrets (hash, api_key_id, prefix) values (sha256('x'), $1, 'psk_8QvR2mXa')`,
    [KEY],
  );
});
afterAll(async () => {
  await rm(folder, { recursive: true });
  await owner.end();
  await database.drop();
  await login.drop();
});

/** The \\copy of psql is the copy of the server, with a file at the client: here there is none, so that it reads nothing. */
async function copyAsPsql(command: string): Promise<void> {
  const [, what = '', direction = '', options = ''] =
    /^\\copy (.*) (from|to) '[^']*' with (.*)$/s.exec(command) ?? [];
  const target = direction === 'to' ? 'to stdout' : 'from stdin';
  expect(await rejectionOf(owner, `copy ${what} ${target} with ${options}`)).toEqual(
    direction === 'to'
      ? undefined
      : expect.objectContaining({
          code: '57014',
          message: expect.stringContaining('No source stream defined'),
        }),
  );
}

describe('the commands in docs/operations.md and docs/alerts.md work as pasted', () => {
  it('are found', () => {
    expect(DOCUMENTED_CALLS.length).toBeGreaterThan(50);
  });

  // In the order of the document, because later commands use what earlier ones created. A revoked key stays revoked, so last.
  const last = DOCUMENTED_CALLS.filter((call) => call.startsWith('petstore keys revoke'));
  const others = DOCUMENTED_CALLS.filter((call) => !last.includes(call));

  it.each([...others, ...last])('%s', async (call) => {
    const [, ...words] = shellWords(call).map((word) =>
      /\.(?:csv|log)$/.test(word) ? join(folder, word) : word,
    );
    const copied: string[] = [];
    const run = async (_program: string, [, , command]: readonly string[]): Promise<number> => {
      if (command !== undefined) copied.push(command);
      return 0;
    };
    const petstore = words[0] === 'db' ? byOwner : byOperator;
    const { code, stdout, stderr } = await petstore(words, { reply: 'yes', context: { run } });
    const said = stderr
      .replaceAll(/^.*Only a superuser may change this.*\n/gm, '')
      // The server of the tests may have fsync off.
      .replace(/^1 of \d+ checks failed\.\n/, () => stdout.match(/^fail (?! durability).*$/m)?.[0] ?? '');
    expect({ call, said }).toEqual({ call, said: expect.stringMatching(/\[y\/N\] $|^$/) });
    expect(code).toBe(stdout.includes('fail  durability') ? 1 : 0);
    for (const command of copied) await copyAsPsql(command);
    expect(copied).toHaveLength(call.includes('copy') ? 1 : 0);
  });
});
