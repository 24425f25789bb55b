import { readdirSync } from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { env } from 'node:process';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { Client } from 'pg';
import { admissionSql } from '../../src/throttling/admission-sql.js';
import { createTestDatabase, type TestDatabase } from '../support/database.js';
import { describeStatement, faultsOnNewSchema, latestRelease, recordRelease } from './recorded-release.js';
import { statementsInUse } from './statements-in-use.js';

let database: TestDatabase;
let client: Client;
let texts: readonly string[];

beforeAll(async () => {
  database = await createTestDatabase();
  client = new Client({ connectionString: database.url });
  await client.connect();
  texts = await statementsInUse();
});
afterAll(async () => {
  await client.end();
  await database.drop();
});

/** The statements that the source names. */
const STATEMENT_FILES = readdirSync('src', { recursive: true, encoding: 'utf8' }).filter((file) =>
  file.endsWith('.sql.ts'),
);

describe('the statements of a release', () => {
  it('are heard while it is used, none left out', async () => {
    expect(STATEMENT_FILES.length).toBeGreaterThan(1);
    for (const file of STATEMENT_FILES) {
      const named = (await import(`../../src/${file.slice(0, -'.ts'.length)}`)) as Record<string, unknown>;
      for (const [name, statement] of Object.entries(named)) {
        if (!isStatement(statement)) continue;
        expect([file, name, texts.includes(statement.text)]).toEqual([file, name, true]);
      }
    }
    expect(texts).toContain(admissionSql);
    for (const table of [
      'api_key_usage',
      'idempotency_keys',
      'pet_inventory',
      'insert into api_key_counters',
    ])
      expect([table, texts.some((text) => text.includes(table))]).toEqual([table, true]);
  });

  it('are all understood by the schema of now', async () => {
    const { parameters } = await describeStatement(client, admissionSql);
    expect(parameters.slice(0, 2)).toEqual(['bytea[]', 'integer[]']);
    for (const text of texts) await describeStatement(client, text);
  });
});

describe('the release before this one', () => {
  // There is none before the first is recorded; then this is what each migration is tested against.
  const previous = latestRelease();

  it(`${previous?.version ?? '(not recorded yet)'} goes on working on the newest schema`, async () => {
    if (previous !== undefined) expect(await faultsOnNewSchema(client, previous)).toEqual([]);
  });

  it.each([
    [
      'a column was dropped',
      'alter table pets drop column category_id cascade',
      /column .*category_id.* does not exist/,
    ],
    [
      'a column has another type',
      'alter table pets alter name type varchar',
      /^its columns were bigint, text and are bigint, character varying/,
    ],
    ['a table was renamed', 'alter table pets rename to animals', /relation "pets" does not exist/],
    [
      'a unique constraint is gone',
      'alter table tags drop constraint tags_pkey',
      /no unique or exclusion constraint/,
    ],
    [
      'a parameter has another type',
      'alter table tags alter pet_id type int',
      /^its parameters were bigint, text /,
    ],
    ['a function is gone', 'drop function pet_tag(bigint)', /function pet_tag\(.*\) does not exist/],
  ])('would be stopped where %s', async (_what, sql, fault) => {
    const changed = await createTestDatabase();
    const owner = new Client({ connectionString: changed.url });
    await owner.connect();
    try {
      await owner.query(`
        create table tags (pet_id bigint constraint tags_pkey primary key, tag text);
        create function pet_tag(bigint) returns text return 'x'`);
      const statements = [
        await describeStatement(owner, 'select id, name from pets where category_id = $1'),
        await describeStatement(owner, 'insert into tags values ($1, $2) on conflict (pet_id) do nothing'),
        await describeStatement(owner, 'select pet_tag($1)'),
      ];
      const release = { version: '0.0.1', migrations: [], statements };
      expect(await faultsOnNewSchema(owner, release)).toEqual([]);
      await owner.query(sql);
      expect(await faultsOnNewSchema(owner, release)).toEqual([expect.stringMatching(fault)]);
    } finally {
      await owner.end();
      await changed.drop();
    }
  });
});

describe('recording a release', () => {
  it('keeps what it asks and what was applied, once', async () => {
    const folder = await mkdtemp(join(tmpdir(), 'petstore-releases-'));
    await recordRelease(client, '9.9.9', texts, folder);
    const record = latestRelease(folder);
    expect(record).toMatchObject({ version: '9.9.9' });
    expect(record?.statements.map(({ text }) => text)).toEqual(texts);
    expect(record?.migrations.length).toBeGreaterThan(5);
    await expect(recordRelease(client, '9.9.9', texts, folder)).rejects.toThrow('EEXIST');
    await rm(folder, { recursive: true });
  });

  // npm run release:record
  const version = env['RECORD_RELEASE'];
  if (version !== undefined) {
    it(`writes prisma/releases/${version}.json`, () => recordRelease(client, version, texts));
  }
});

const isStatement = (value: unknown): value is { readonly text: string } =>
  typeof value === 'object' && value !== null && 'text' in value && typeof value.text === 'string';
