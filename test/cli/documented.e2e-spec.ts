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
import { createStockFiles, type StockFiles } from './support/stock-files.js';

const document = readFileSync(join(cwd(), 'docs', 'operations.md'), 'utf8');

/** What a reader would paste: lines of shell, of which one may go on within quotes, and whole commands in the tables. */
const pasted = [
  ...[...document.matchAll(/^```sh\n(.*?)^```$/gms)].flatMap(
    ([, block = '']) => block.match(/^petstore (?:"[^"]*"|[^"\n])*$/gm) ?? [],
  ),
  ...[...document.matchAll(/\| `(petstore [^`]+)` +\|$/gm)].map(([, command = '']) => command),
];

/** The key that the document speaks of. */
const KEY = 7;

let database: TestDatabase;
let owner: Pool;
let petstore: Petstore;
let files: StockFiles;

beforeAll(async () => {
  database = await createTestDatabase();
  owner = openTestPool(database.url, { max: 1 });
  petstore = petstoreOn(asSuperuser(database.url));
  files = await createStockFiles();
  await files.write('stock.csv', 'name,categoryId,status\nRex,1,available\n');
  await files.write('stock.ndjson', '{"name":"Rex","categoryId":1}\n{}\n');
  await issueKeys(owner, KEY, { plan: 'pro' });
  await owner.query(
    `insert into api_key_secrets (hash, api_key_id, prefix) values (sha256('x'), $1, 'psk_8QvR2mXa')`,
    [KEY],
  );
});
afterAll(async () => {
  await owner.end();
  await database.drop();
  await files.remove();
});

describe('the commands in docs/operations.md work as pasted', () => {
  it('are found', () => {
    expect(pasted.length).toBeGreaterThan(30);
  });

  // In the order of the document, so that what a command needs another has made; but a key that is revoked stays so.
  const last = pasted.filter((command) => command.startsWith('petstore keys revoke'));
  const others = pasted.filter((command) => !last.includes(command));

  it.each([...others, ...last])('%s', async (command) => {
    const [program, ...words] = shellWords(command);
    expect(program).toBe('petstore');
    const args = words.map((word) => (/^(?:stock|refused)\.\w+$/.test(word) ? files.path(word) : word));
    const { code, stderr } = await petstore(args, { answer: 'yes' });
    expect({ command, code, stderr }).toEqual({
      command,
      code: 0,
      stderr: expect.stringMatching(/--skip-invalid/.test(command) ? /^line 2: / : /\[y\/N\] $|^$/),
    });
  });

  it('leave the inventory right', async () => {
    const { rows } = await owner.query(
      `select kept.available = (select count(*) from pets where status = 'available') as is_right from pet_inventory() as kept`,
    );
    expect(rows).toEqual([{ is_right: true }]);
  });
});
