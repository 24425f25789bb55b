import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { createEmptyDatabase, type TestDatabase } from '../support/database.js';
import { asSuperuser } from '../support/operator-roles.js';
import { json, type Petstore, petstoreOn } from './support/petstore.js';

let database: TestDatabase;
let petstore: Petstore;

beforeAll(async () => {
  database = await createEmptyDatabase();
  petstore = petstoreOn(database.url);
});
afterAll(() => database.drop());

describe('petstore on a database that is not migrated', () => {
  it.each([
    ['keys', 'list'],
    ['plans', 'list'],
    ['pets', 'export'],
  ])('says so: %s %s', async (...args) => {
    expect(await petstore(args)).toEqual({
      code: 1,
      stdout: '',
      stderr: 'The database is not up to date.\nRun `petstore db migrate` first.\n',
    });
  });

  it('makes no roles yet', async () => {
    expect(await petstore(['db', 'roles'])).toMatchObject({
      code: 1,
      stderr: 'the database is not migrated\nRun "petstore db migrate" first.\n',
    });
  });
});

describe('petstore db migrate', () => {
  it('tells what it applied, and the next time that there is nothing', async () => {
    const { applied } = await json<{ applied: string[] }>(petstore(['db', 'migrate', '--json']));
    expect(applied[0]).toBe('20261123100000_plans_and_keys');
    expect(applied.length).toBeGreaterThan(5);
    expect(await json(petstore(['db', 'migrate', '--json']))).toEqual({ applied: [] });
    expect(await petstore(['db', 'migrate'])).toEqual({ code: 0, stdout: 'Nothing to apply.\n', stderr: '' });
    expect(await petstore(['plans', 'list'])).toMatchObject({ code: 0 });
  });
});

describe('petstore db roles', () => {
  it('grants the roles what they need, as often as it is run', async () => {
    const asOwner = petstoreOn(asSuperuser(database.url));
    for (let time = 1; time <= 2; time += 1) {
      const answer = await json<{ roles: string[]; warnings: string[] }>(asOwner(['db', 'roles', '--json']));
      expect(answer.roles).toEqual(['petstore_service', 'petstore_operator']);
      expect(answer.warnings).toEqual(expect.any(Array));
    }
    const { stdout } = await asOwner([
      'sql',
      `select has_table_privilege('petstore_operator', 'api_key_overview', 'select') as may`,
    ]);
    expect(stdout).toBe('may\n---\nt\n(1 row)\n');
  });
});

describe('petstore without a database', () => {
  it('says in two lines that nobody listens, and keeps the password to itself', async () => {
    const nobody = petstoreOn('postgresql://petstore:secret@127.0.0.1:1/petstore');
    for (const args of [
      ['keys', 'list'],
      ['db', 'migrate'],
      ['sql', 'select 1'],
    ]) {
      const { code, stderr } = await nobody(args);
      expect(code).toBe(1);
      expect(stderr).toMatch(
        /^The database cannot be reached: [^\n]*ECONNREFUSED[^\n]*\nCheck DATABASE_URL[^\n]*\n$/,
      );
      expect(stderr).not.toContain('secret');
    }
  });

  it('tells each fault of the configuration in a line', async () => {
    const { code, stderr } = await petstore(['keys', 'list'], {
      environment: { PORT: 'many', LOG_LEVEL: 'loud' },
    });
    expect(code).toBe(1);
    expect(stderr).toMatch(/^The configuration cannot be used:\n {2}PORT: .*\n {2}LOG_LEVEL: .*\n$/);
  });
});

describe('petstore --help', () => {
  const commands = [
    ...[
      'issue',
      'list',
      'show',
      'usage',
      'rotate',
      'set-plan',
      'set-limits',
      'revoke',
      'suspend',
      'resume',
      'unban',
    ].map((name) => ['keys', name]),
    ...['list', 'set'].map((name) => ['plans', name]),
    ...['import', 'export'].map((name) => ['pets', name]),
    ...['migrate', 'roles'].map((name) => ['db', name]),
    ...['sql', 'doctor', 'completion'].map((name) => [name]),
  ];

  it.each(commands)('shows how %s %s is used, with an example', async (...command) => {
    const args = command.filter((word) => word !== undefined);
    const { code, stdout, stderr } = await petstore([...args, '--help']);
    expect({ code, stderr }).toEqual({ code: 0, stderr: '' });
    expect(stdout).toContain(`Usage: petstore ${args.join(' ')}`);
    const [, examples = ''] = /\nExamples?:\n((?: {2}.*\n?)+)$/.exec(stdout) ?? [];
    expect(examples).toContain(`petstore ${args.join(' ')}`);
    if (args[0] !== 'completion') expect(stdout).toContain('--json');
  });

  it('tells the version', async () => {
    expect(await petstore(['--version'])).toEqual({ code: 0, stdout: '0.1.0\n', stderr: '' });
  });
});
