import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import type { CommandSpec } from '../../src/cli/command.js';
import { auditCommand } from '../../src/cli/commands/audit.js';
import { DB_COMMANDS } from '../../src/cli/commands/db.js';
import { KEY_COMMANDS } from '../../src/cli/commands/keys.js';
import { PLAN_COMMANDS } from '../../src/cli/commands/plans.js';
import { USAGE_COMMANDS } from '../../src/cli/commands/usage.js';
import { copyDatabase, createTestDatabase, type TestDatabase } from '../support/database.js';
import { issueKeys } from '../support/issue-keys.js';
import { grantRoles } from '../support/operator-roles.js';
import { openTestPool } from '../support/test-pool.js';
import { petstoreOn } from './support/petstore.js';
import { shellWords } from './support/shell-words.js';

const GROUPS: Readonly<Record<string, readonly CommandSpec[]>> = {
  'keys ': KEY_COMMANDS,
  'plans ': PLAN_COMMANDS,
  'usage ': USAGE_COMMANDS,
  'db ': DB_COMMANDS,
  '': [auditCommand],
};

const EXAMPLES = Object.entries(GROUPS).flatMap(([group, specs]) =>
  specs
    .filter(({ isHidden }) => isHidden !== true)
    .flatMap(({ usage, examples = [`${group}${usage.replace('<key>', '7')}`] }) => examples),
);

/** What the examples name: key 7 with a secret that ends, plans, and files. */
let database: TestDatabase;
let folder: string;

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'petstore-examples-'));
  database = await createTestDatabase();
  await grantRoles(database.url, 'superuser');
  const owner = openTestPool(database.url, { max: 1 });
  await issueKeys(owner, 7, { plan: 'pro' });
  await owner.query(`
    insert into api_key_secrets (hash, api_key_id, prefix, expires_at)
    values (sha256('x'), 7, 'psk_8QvR2mXa', null), (sha256('y'), 7, 'psk_AAAAAAAA', now() + interval '1 hour')`);
  await owner.query(`select from create_plan('growing', 600, 50000)`);
  await owner.end();
  await writeFile(join(folder, 'customers.csv'), 'name,plan\nAcme web,pro\n');
  await writeFile(join(folder, 'service.log'), '');
  await writeFile(join(folder, 'audit.jsonl'), '');
});
afterAll(async () => {
  await database.drop();
  await rm(folder, { recursive: true });
});

describe('the examples of the help work as pasted', () => {
  it('are of every command', () => {
    expect(EXAMPLES.length).toBeGreaterThan(45);
  });

  // What a shell connects is not run here.
  it.each(EXAMPLES.filter((example) => !/[<|]/.test(example)))('petstore %s', async (example) => {
    const copy = await copyDatabase(database.url);
    try {
      const words = shellWords(example).map((word) => (/\.\w+$/.test(word) ? join(folder, word) : word));
      const { code, stderr } = await petstoreOn(copy.url)(words, {
        reply: 'yes',
        context: { run: () => Promise.resolve(0) },
      });
      expect({ code, stderr }).toEqual({ code: 0, stderr: expect.any(String) });
    } finally {
      await copy.drop();
      await rm(join(folder, 'keys.csv'), { force: true });
    }
  });
});
