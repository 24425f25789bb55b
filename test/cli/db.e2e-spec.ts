import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { releaseVersion } from '../../src/config/config.js';
import { createEmptyDatabase, type TestDatabase } from '../support/database.js';
import { asSuperuser } from '../support/operator-roles.js';
import { openTestPool } from '../support/test-pool.js';
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
  ])('says so: %s %s', async (...args) => {
    expect(await petstore(args)).toEqual({
      code: 1,
      stdout: '',
      stderr: 'The database is not up to date.\nRun `petstore db migrate` first.\n',
    });
  });
});

describe('petstore db migrate', () => {
  it('prints what it applied, and the next time that there is nothing to apply', async () => {
    const { applied } = await json<{ applied: string[] }>(petstore(['db', 'migrate', '--json']));
    expect(applied[0]).toBe('20261128120000_tables');
    expect(applied.length).toBeGreaterThan(2);
    expect(await json(petstore(['db', 'migrate', '--json']))).toEqual({ applied: [] });
    expect(await petstore(['db', 'migrate'])).toEqual({
      code: 0,
      stdout: 'Already up to date.\n',
      stderr: '',
    });
    expect(await petstore(['plans', 'list'])).toMatchObject({ code: 0 });
  });
});

describe('petstore db roles', () => {
  it('grants the roles what they need, as often as it is run', async () => {
    const asOwner = petstoreOn(asSuperuser(database.url));
    for (let time = 1; time <= 2; time += 1) {
      const result = await json<{ roles: string[]; warnings: string[] }>(asOwner(['db', 'roles', '--json']));
      expect(result.roles).toEqual(['petstore_service', 'petstore_operator', 'petstore_support']);
      expect(result.warnings).toEqual(expect.any(Array));
    }
    const pool = openTestPool(database.url, { max: 1 });
    const { rows } = await pool.query(
      `select has_table_privilege('petstore_operator', 'api_key_overview', 'select') as may`,
    );
    await pool.end();
    expect(rows).toEqual([{ may: true }]);
  });
});

describe('petstore db url', () => {
  it('prints the configured connection string', async () => {
    expect(await petstore(['db', 'url'])).toEqual({ code: 0, stdout: `${database.url}\n`, stderr: '' });
    expect(await json(petstore(['db', 'url', '--json']))).toEqual({ url: database.url });
  });
});

describe('the password of the database', () => {
  const secret = petstoreOn('postgresql://alice:s%40cret@db.example/petstore?password=other&sslmode=require');

  it('is left out by db url --no-password', async () => {
    expect(await secret(['db', 'url', '--no-password'])).toMatchObject({
      stdout: 'postgresql://alice@db.example/petstore?sslmode=require\n',
    });
    expect(await secret(['db', 'url'])).toMatchObject({ stdout: expect.stringContaining('s%40cret') });
  });

  it('is never an argument of psql, which other users could list', async () => {
    const calls: unknown[] = [];
    const run = (...call: unknown[]): Promise<number> => {
      calls.push(call);
      return Promise.resolve(0);
    };
    const words = ['-c', 'select 1', '--csv', '-v', 'a=b', '-V', '--version', '--actor', 'x', 'and more'];
    for (const forms of [words, ['--', ...words]])
      expect(await secret(['db', 'psql', ...forms], { context: { run } })).toEqual({
        code: 0,
        stdout: '',
        stderr: '',
      });
    const url = 'postgresql://alice@db.example/petstore?sslmode=require';
    const call = ['psql', [url, ...words], { PGPASSWORD: 's@cret' }];
    expect(calls).toEqual([call, call]);
  });

  it.each([
    ['without psql', undefined, /^psql is not installed here\.\n/],
    ['when psql fails', () => Promise.resolve(3), /^psql ended with 3\.\n$/],
  ])('ends with a sentence %s', async (_when, run, stderr) => {
    expect(await secret(['db', 'psql'], { context: run === undefined ? {} : { run } })).toEqual({
      code: run === undefined ? 1 : 3,
      stdout: '',
      stderr: expect.stringMatching(stderr),
    });
  });
});

describe('petstore without a database', () => {
  it('says so in two lines, without the password', async () => {
    const unreachable = petstoreOn('postgresql://petstore:secret@127.0.0.1:1/petstore');
    for (const args of [
      ['keys', 'list'],
      ['db', 'migrate'],
      ['plans', 'list'],
    ]) {
      const { code, stderr } = await unreachable(args);
      expect(code).toBe(1);
      expect(stderr).toMatch(
        /^Cannot reach the database: [^\n]*ECONNREFUSED[^\n]*\nCheck DATABASE_URL[^\n]*\n$/,
      );
      expect(stderr).not.toContain('secret');
    }
  });

  it('reports each error of the configuration in a line', async () => {
    const { code, stderr } = await petstore(['keys', 'list'], {
      environment: { PORT: 'many', LOG_LEVEL: 'loud' },
    });
    expect(code).toBe(1);
    expect(stderr).toMatch(/^The configuration is invalid:\n {2}PORT: .*\n {2}LOG_LEVEL: .*\n$/);
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
    ...['list', 'create', 'set'].map((name) => ['plans', name]),
    ...['url', 'migrate', 'roles'].map((name) => ['db', name]),
    ['doctor'],
  ];

  it.each(commands)('shows how %s %s is used, with an example', async (...command) => {
    const args = command.filter((word) => word !== undefined);
    const { code, stdout, stderr } = await petstore([...args, '--help']);
    expect({ code, stderr }).toEqual({ code: 0, stderr: '' });
    expect(stdout).toContain(`Usage: petstore ${args.join(' ')}`);
    const [, examples = ''] = /\nExamples?:\n((?: {2}.*\n?)+)$/.exec(stdout) ?? [];
    expect(examples).toContain(`petstore ${args.join(' ')}`);
    expect(stdout).toContain('--json');
  });

  it('fits on a screen of 24 lines and 80 columns', async () => {
    const lines = (await petstore(['--help'])).stdout.trimEnd().split('\n');
    expect(lines.length).toBeLessThanOrEqual(24);
    expect(lines.filter((line) => line.length > 80)).toEqual([]);
  });

  it('prints the version', async () => {
    expect(await petstore(['--version'])).toEqual({ code: 0, stdout: `${releaseVersion()}\n`, stderr: '' });
  });
});
