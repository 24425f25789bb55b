import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { cwd } from 'node:process';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import type { Pool } from 'pg';
import { createTestDatabase, type TestDatabase } from '../support/database.js';
import { issueKeys } from '../support/issue-keys.js';
import { asSuperuser } from '../support/operator-roles.js';
import { openTestPool } from '../support/test-pool.js';
import { type Petstore, petstoreOn } from './support/petstore.js';
import { shellWords } from './support/shell-words.js';

const document = readFileSync(join(cwd(), 'docs', 'operations.md'), 'utf8');

/** Commands that a reader would paste: lines of shell, which may continue within quotes, and commands in the tables. */
const pasted = [
  ...[...document.matchAll(/^```sh\n(.*?)^```$/gms)].flatMap(
    ([, block = '']) => block.match(/^petstore (?:"[^"]*"|[^"\n])*$/gm) ?? [],
  ),
  ...[...document.matchAll(/\| `(petstore [^`]+)` +\|$/gm)].map(([, command = '']) => command),
].filter((command) => !command.startsWith('petstore db psql'));

/** The key that the document uses. */
const KEY = 7;

let database: TestDatabase;
let owner: Pool;
let petstore: Petstore;

beforeAll(async () => {
  database = await createTestDatabase();
  owner = openTestPool(database.url, { max: 1 });
  petstore = petstoreOn(asSuperuser(database.url));
  await issueKeys(owner, KEY, { plan: 'pro' });
  await owner.query(
    `insert into api_key_secrets (hash, api_key_id, prefix) values (sha256('x'), $1, 'psk_8QvR2mXa')`,
    [KEY],
  );
});
afterAll(async () => {
  await owner.end();
  await database.drop();
});

describe('the commands in docs/operations.md work as pasted', () => {
  it('are found', () => {
    expect(pasted.length).toBeGreaterThan(20);
  });

  // In the order of the document, because later commands use what earlier ones created. A revoked key stays revoked, so last.
  const last = pasted.filter((command) => command.startsWith('petstore keys revoke'));
  const others = pasted.filter((command) => !last.includes(command));

  it.each([...others, ...last])('%s', async (command) => {
    const [program, ...words] = shellWords(command);
    expect(program).toBe('petstore');
    const { code, stderr } = await petstore(words, { reply: 'yes' });
    expect({ command, code, stderr }).toEqual({
      command,
      code: 0,
      stderr: expect.stringMatching(/\[y\/N\] $|^$/),
    });
  });
});
