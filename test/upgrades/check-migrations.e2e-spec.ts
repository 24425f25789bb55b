import { execFile } from 'node:child_process';
import { createHash } from 'node:crypto';
import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { execPath } from 'node:process';
import { promisify } from 'node:util';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';

const run = promisify(execFile);

let folder: string;
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'check-migrations-'));
});
afterAll(() => rm(folder, { recursive: true }));

/** By rule of squawk: statements that would stop the release before from working, or keep requests waiting. */
const REJECTED: readonly (readonly [string, string])[] = [
  ['adding-required-field', 'alter table pets add column age int not null;'],
  ['adding-field-with-default', 'alter table pets add column token uuid default gen_random_uuid();'],
  ['adding-field-with-default', 'alter table pets add column n bigint generated always as identity;'],
  ['adding-foreign-key-constraint', 'alter table pets add column owner_id bigint references owners (id);'],
  ['adding-not-nullable-field', 'alter table pets alter column name set not null;'],
  ['changing-column-type', 'alter table pets alter column category_id type text;'],
  ['constraint-missing-not-valid', 'alter table pets add check (name is not null);'],
  [
    'constraint-missing-not-valid',
    'alter table pets add constraint c check (id > 0) not valid; alter table pets validate constraint c;',
  ],
  ['disallowed-unique-constraint', 'alter table pets add constraint f_key unique (name);'],
  ['require-concurrent-index-creation', 'create index on pets (category_id);'],
  ['require-concurrent-index-deletion', 'drop index pets_name_idx;'],
  ['require-concurrent-reindex', 'reindex table pets;'],
  ['ban-drop-column', 'alter table pets drop column name;'],
  ['ban-drop-table', 'drop table pets;'],
  ['renaming-column', 'alter table pets rename column name to title;'],
  ['renaming-table', 'alter table pets rename to animals;'],
  ['transaction-nesting', 'commit;'],
];

const ACCEPTED: readonly string[] = [
  'alter table pets add column nick text;',
  `alter table pets add column kind text not null default 'cat';`,
  'alter table pets add column born timestamptz(6) not null default now();',
  'alter table orders add constraint i_fkey foreign key (pet_id) references pets (id) not valid;',
  'alter table pets validate constraint j_check;',
  'alter table pets add constraint k_key unique using index k_key;',
  'create table owners (id bigint primary key, pet_id bigint references pets (id)); create index on owners (pet_id);',
  'create or replace trigger pets_touch before update on pets for each row execute function touch();',
  '-- Unused since 1.1.0.\n-- squawk-ignore ban-drop-column\nalter table pets drop column old;',
];

/** The rules that each statement breaks, each in a migration of its own. */
async function rulesBrokenBy(statements: readonly string[]): Promise<readonly (readonly string[])[]> {
  const files = statements.map((_, nth) => join(folder, `${String(nth)}.sql`));
  for (const [nth, file] of files.entries()) await writeFile(file, `${statements[nth] ?? ''}\n`);
  const words = ['node_modules/squawk-cli/js/bin/squawk', '--reporter', 'json', ...files];
  const { stdout } = await run(execPath, words).catch(
    (error: unknown) => error as { readonly stdout: string },
  );
  const findings = JSON.parse(stdout) as readonly { readonly file: string; readonly rule_name: string }[];
  return files.map((file) => findings.filter((one) => one.file === file).map(({ rule_name }) => rule_name));
}

describe('check:migrations', () => {
  it('rejects what the release before, or its requests, could not bear', async () => {
    const broken = await rulesBrokenBy(REJECTED.map(([, sql]) => sql));
    for (const [nth, [rule, sql]] of REJECTED.entries()) {
      expect([sql, broken[nth]]).toEqual([sql, expect.arrayContaining([rule])]);
    }
  });

  it('accepts what both can bear, and an exemption', async () => {
    const broken = await rulesBrokenBy(ACCEPTED);
    for (const [nth, sql] of ACCEPTED.entries()) expect([sql, broken[nth]]).toEqual([sql, []]);
  });

  it('rejects a released migration that was edited or removed', async () => {
    const sql = 'create table cats (id int);\r\n';
    await mkdir(join(folder, 'migrations/1_cats'), { recursive: true });
    await writeFile(join(folder, 'migrations/1_cats/migration.sql'), sql);
    await mkdir(join(folder, 'releases'));
    const check = async (migrations: Readonly<Record<string, string>>): Promise<string> => {
      const recorded = Object.entries(migrations).map(([name, text]) => ({
        name,
        checksum: createHash('sha256').update(text).digest('hex'),
      }));
      const record = { version: '1.0.0', migrations: recorded, statements: [] };
      await writeFile(join(folder, 'releases/1.0.0.json'), JSON.stringify(record));
      const words = ['tools/check-migrations.mjs', join(folder, 'migrations'), join(folder, 'releases')];
      return await run(execPath, words).then(
        ({ stdout }) => stdout,
        (error: unknown) => (error as { readonly stderr: string }).stderr,
      );
    };
    // Git changes line ends on some machines.
    expect(await check({ '1_cats': sql.replaceAll('\r\n', '\n') })).toMatch(
      '1 releases: their migrations are unchanged',
    );
    expect(await check({ '1_cats': 'create table dogs (id int);', '2_gone': '' })).toBe(
      '1_cats was edited after release 1.0.0: restore it, and write the change as a new migration\n' +
        '2_gone was released with 1.0.0 and is missing: databases have applied it\n',
    );
  });
});
