import { execFile } from 'node:child_process';
import { cp, mkdir, mkdtemp, readFile, rm, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { cwd, execPath } from 'node:process';
import { promisify } from 'node:util';
import { afterAll, beforeAll, describe, expect, it, jest } from '@jest/globals';
import { Client } from 'pg';
import { createTestDatabase } from './support/database.js';
import { useDatabase } from './support/use-service.js';

// A test starts several processes, some of them with a PostgreSQL of their own.
jest.setTimeout(180_000);

const run = promisify(execFile);
const tool = (folder: string, ...words: readonly string[]): Promise<string> =>
  run(execPath, [join(folder, 'tools/migration.mjs'), ...words]).then(({ stdout }) => stdout);

const otherUnban = async (): Promise<string> => {
  const sql = await readFile('prisma/sql/operators/functions/unban_api_key.sql', 'utf8');
  return sql.replace('\nbegin\n', '\nbegin\n  perform 1;\n');
};

const differs = (file: string): string => `prisma/sql/${file}.sql: differs from what the migrations make\n`;

describe('prisma/sql', () => {
  const database = useDatabase(1);

  it.each([
    ['another body of a function', otherUnban, differs('operators/functions/unban_api_key')],
    [
      'a right that PUBLIC has',
      () => 'grant execute on function issue_api_key to public',
      differs('operators/functions/issue_api_key'),
    ],
    [
      'a function without a file',
      () => `create function unfiled() returns int language sql return 1`,
      'function unfiled: has no file in prisma/sql\n',
    ],
  ])('notices %s in the database, by name', async (_what, statement, message) => {
    const copy = await createTestDatabase();
    const operator = new Client({ connectionString: copy.url });
    await operator.connect();
    await operator.query(await statement());
    await operator.end();
    await expect(tool(cwd(), '--check', copy.url)).rejects.toMatchObject({
      code: 1,
      stderr: `${message}Change the files, then run "npm run migration -- NAME".\n`,
    });
    await copy.drop();
  });

  it('describes every table, view and function, and every column that its name does not explain', async () => {
    const { rows } = await database.pool.query<{ missing: string }>(
      `select c.relname || coalesce('.' || a.attname, '') as missing
       from pg_class c
       left join pg_attribute a on a.attrelid = c.oid and a.attnum > 0 and not a.attisdropped
         and a.attname not in ('id', 'api_key_id', 'plan_id', 'pet_id', 'name', 'created_at', 'placed_at')
       where c.relnamespace = 'public'::regnamespace and c.relkind in ('r', 'v', 'c') and c.relname <> '_prisma_migrations'
         and (col_description(c.oid, a.attnum) is null and a.attnum is not null
           or c.relkind <> 'c' and obj_description(c.oid, 'pg_class') is null)
       union all
       select proname from pg_proc
       where pronamespace = 'public'::regnamespace and obj_description(oid, 'pg_proc') is null`,
    );
    expect(rows.map(({ missing }) => missing)).toEqual([]);
  });
});

describe('npm run migration', () => {
  let folder: string;
  const migrations = (): string => join(folder, 'prisma/migrations');
  const sqlFile = (path: string): string => join(folder, 'prisma/sql', `${path}.sql`);
  const change = async (path: string, from: string, to: string): Promise<void> => {
    const text = await readFile(sqlFile(path), 'utf8');
    expect(text).toContain(from);
    await writeFile(sqlFile(path), text.replaceAll(from, to));
  };
  const written = (printed: string): Promise<string> =>
    readFile(join(folder, printed.split('\n')[0] ?? ''), 'utf8');

  beforeAll(async () => {
    folder = await mkdtemp(join(tmpdir(), 'petstore-checkout-'));
    for (const name of ['prisma', 'tools'])
      await cp(name, join(folder, name), {
        recursive: true,
        filter: (path) => !path.includes('node_modules'),
      });
    for (const name of ['dist', 'node_modules']) await symlink(join(cwd(), name), join(folder, name));
  });
  afterAll(() => rm(folder, { recursive: true }));

  it('writes what differs, later than all others, and replaces it until it is released', async () => {
    await expect(tool(folder, 'nothing')).rejects.toMatchObject({
      code: 1,
      stderr: expect.stringMatching(/^Nothing differs\. Write statements on tables by hand to prisma\/migr/),
    });
    await change('functions/has_open_order', `'placed', 'approved'`, `'approved', 'placed'`);
    const printed = await tool(folder, 'swap');
    expect(printed).toMatch(
      /^prisma\/migrations\/\d{14}_swap\/migration\.sql\n {2}prisma\/sql\S+_order\.sql\n$/,
    );
    expect(await written(printed)).toMatch(
      /^-- From prisma.*create or replace function has_open_order\(.*;\n$/s,
    );
    await change('operators/views/plan_overview', 'Every plan', 'Each plan');
    expect(await tool(folder, 'swap')).toBe(`${printed}  prisma/sql/operators/views/plan_overview.sql\n`);
    // Only the comment differs, so the view is not replaced.
    expect(await written(printed)).toMatch(/\n\ncomment on view plan_overview is 'Each plan/);
    expect(await written(printed)).not.toContain('create or replace view');
    expect(await tool(folder, '--check')).toBe('prisma/sql is what the migrations make\n');
  });

  it('keeps the statements on tables that are written by hand, which the files may need', async () => {
    const printed = (await tool(folder, 'swap')).replace('_swap', '_only_here').split('\n')[0] ?? '';
    const later = printed.replace(/\d{14}/, '29990101000000');
    await mkdir(join(folder, later, '..'));
    await writeFile(join(folder, later), 'alter table pets add column only_here text;\n\n');
    await change('functions/new_pet', ')::pets', ', null)::pets');
    expect(await tool(folder, 'only_here')).toBe(`${later}\n  prisma/sql/functions/new_pet.sql\n`);
    expect(await written(later)).toMatch(
      /^alter table pets .*;\n\n-- From .*\n\ncreate .* function new_pet/s,
    );
    expect(await tool(folder, '--check')).toBe('prisma/sql is what the migrations make\n');
    expect(await tool(folder, 'last').catch(({ stderr }: { stderr: string }) => stderr)).toContain(
      'prisma/migrations/29990101000001_last/migration.sql',
    );
  });

  it.each([
    [
      'other arguments of a function',
      'functions/etag_of',
      'etag_of(representation text)',
      'etag_of(representation text, weak boolean)',
      'prisma/sql/functions/meets_preconditions.sql: function etag_of(text) does not exist',
    ],
    [
      'a new name of an argument',
      'operators/functions/create_plan',
      'per_day integer',
      'a_day integer',
      'prisma/sql/operators/functions/create_plan.sql: cannot be replaced: cannot change name of input parameter "per_day"',
    ],
    [
      'a view that takes all columns of another',
      'operators/views/plan_overview',
      'select',
      'select plans.*,',
      'prisma/sql/operators/views/plan_overview.sql: name the columns: "*" is expanded only once',
    ],
    [
      'a function that checks call',
      'functions/is_instant',
      '9999-12-31',
      '9998-12-31',
      'note: the check api_keys_revoked_at_is_instant of api_keys calls is_instant: existing rows may now violate it',
    ],
  ])('handles %s', async (_what, path, from, to, message) => {
    const before = await readFile(sqlFile(path), 'utf8');
    await change(path, from, to);
    const outcome = await tool(folder, 'other').catch(({ stderr }: { stderr: string }) => stderr);
    expect(outcome).toContain(message ?? `_other/migration.sql\n  prisma/sql/${path}.sql\n`);
    await writeFile(sqlFile(path), before);
  });

  it('names a check that is replaced', async () => {
    const path = join(migrations(), '29990101000002_longer/migration.sql');
    await mkdir(join(path, '..'));
    await writeFile(
      path,
      'alter table pets drop constraint pets_name_length;\n' +
        'alter table pets add constraint pets_name_length check (char_length(name) <= 200) not valid;\n',
    );
    expect(await tool(folder, 'longer')).toContain(
      '\nnote: the check pets_name_length of pets is replaced: add it as "not valid", and validate it in a migration of its own\n',
    );
    await rm(join(path, '..'), { recursive: true });
  });

  it('rejects the name of a released migration, and what is no name', async () => {
    expect(await readFile(join(migrations(), 'released.txt'), 'utf8')).toContain('_objects/');
    await expect(tool(folder, 'objects')).rejects.toMatchObject({
      stderr: '20261128120001_objects is released and immutable: choose another name.\n',
    });
    await expect(tool(folder, 'Usage views')).rejects.toMatchObject({
      stderr: expect.stringContaining('npm run migration -- add_nick_to_pets'),
    });
  });
});
