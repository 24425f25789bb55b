import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { execFile } from 'node:child_process';
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { Client } from 'pg';
import { OPERATIONS } from './support/document.js';
import { createTestDatabase, type TestDatabase } from './support/database.js';

const run = promisify(execFile);

/** What `prisma migrate diff --exit-code` prints, and its exit code. */
const diff = (schema: string): Promise<{ code?: number; stdout: string }> =>
  run(process.execPath, ['tools/prisma-diff.mjs', database.url, schema]).catch(
    (error: { code: number; stdout: string }) => error,
  );

let database: TestDatabase;
let client: Client;
let folder: string;

beforeAll(async () => {
  database = await createTestDatabase();
  folder = await mkdtemp(join(tmpdir(), 'petstore-schema-'));
  client = new Client({ connectionString: database.url });
  await client.connect();
});
afterAll(async () => {
  await client.end();
  await database.drop();
  await rm(folder, { recursive: true });
});

describe('a dump of an older server', () => {
  it('has no name reserved by this server, which an older server dumps without quotes', async () => {
    // PostgreSQL 15 reserves `order`, too.
    const { rows } = await client.query<{ name: string }>(
      `select distinct name
       from (
         select unnest(array_append(proargnames, proname)) from pg_proc where pronamespace = 'public'::regnamespace
         union all
         select unnest(array[relname, attname]) from pg_attribute join pg_class on pg_class.oid = attrelid
         where relnamespace = 'public'::regnamespace and attnum > 0
         union all
         select typname from pg_type where typnamespace = 'public'::regnamespace
         union all
         select conname from pg_constraint where connamespace = 'public'::regnamespace
       ) as names (name)
       where name in (select word from pg_get_keywords() where catcode <> 'U') and name <> all ($1)`,
      [['order']],
    );
    expect(rows).toEqual([]);
  });
});

describe('SQL with an empty search_path, as pg_restore sends it', () => {
  it('can write pets and orders, and count them', async () => {
    await client.query(`begin; set local search_path = ''`);
    const statements = [
      `insert into public.pets (name, category_id, status) values ('Rex', 1, 'available'), ('Fluffy', 1, 'available')`,
      `insert into public.orders (pet_id) select id from public.pets where name = 'Rex'`,
      `update public.orders set status = 'cancelled'`,
      `delete from public.orders`,
      `update public.pets set status = 'sold' where name = 'Fluffy'`,
      `insert into public.categories select (public.new_category()).id, 'Cats'`,
      `select public.put_category_if(1, 'Dogs', null, null)`,
      `select public.delete_category_if(1, null, null)`,
      `select public.delete_pets_if(array(select id from public.pets where name = 'Rex'), '{null}', '{null}')`,
    ];
    for (const statement of statements) await client.query(statement);
    const { rows } = await client.query('select * from public.pet_inventory()');
    await client.query('truncate public.orders, public.pets; rollback');
    expect(rows).toEqual([{ available: '0', pending: '0', sold: '1' }]);
  });

  it('takes texts of new records that are as long as the document says', async () => {
    const texts = OPERATIONS.filter(({ method, body }) => method === 'POST' && body !== undefined).flatMap(
      ({ path, body }) =>
        Object.entries(body?.properties ?? {}).flatMap(([member, { maxLength }]) =>
          maxLength === undefined ? [] : [{ table: path.split('/').at(-1), member, maxLength }],
        ),
    );
    for (const { table, member, maxLength } of texts) {
      const column = member.replaceAll(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`);
      const { rows } = await client.query(
        `select from pg_constraint where conrelid = $1::regclass
         and pg_get_constraintdef(oid) like format('%%char_length(%s) <= %s)%%', $2::text, $3::int)`,
        [table, column, maxLength],
      );
      expect([table, column, rows.length]).toEqual([table, column, 1]);
    }
    expect(texts.length).toBeGreaterThan(1);
  });

  it('bounds every time that non-owners may write', async () => {
    const { rows } = await client.query<{ column: string }>(
      `select format('%s.%s', relname, attname) as column
       from pg_attribute join pg_class on pg_class.oid = attrelid
       where relnamespace = 'public'::regnamespace and relkind = 'r' and attnum > 0 and relname <> '_prisma_migrations'
         and atttypid in ('timestamptz'::regtype, 'date'::regtype)
         and not exists (
           select from pg_constraint
           where conrelid = attrelid and contype = 'c' and attnum = any(conkey)
             and pg_get_constraintdef(oid) ~ 'is_instant|0001-01-01|9999-12-31')`,
    );
    const byOtherColumns = ['api_key_counters.day', 'api_key_counters.banned_until'];
    const byOwnerAlone = ['api_keys.created_at', 'api_key_secrets.created_at', 'audit_log.changed_at'];
    expect(new Set(rows.map(({ column }) => column))).toEqual(new Set([...byOtherColumns, ...byOwnerAlone]));
  });

  it('resolves names in each function: pre-parsed, or with its own search_path', async () => {
    const { rows } = await client.query(
      `select proname from pg_proc
       where pronamespace = 'public'::regnamespace
         and prosqlbody is null
         and not coalesce(proconfig::text like '%search_path=public, pg_temp%', false)
         and prosrc ~ (
           select format('\\m(from|into|update|join) (%s)\\M', string_agg(relname, '|'))
           from pg_class where relnamespace = 'public'::regnamespace and relkind in ('r', 'v'))
         -- They name tables with their schema.
         and prosrc !~ '\\mpublic\\.'`,
    );
    expect(rows).toEqual([]);
  });
});

describe('prisma/schema.prisma', () => {
  it('has the tables, columns, defaults, keys, indexes and enums of a migrated database, as Prisma compares them', async () => {
    expect(await diff('prisma/schema.prisma')).toMatchObject({
      stdout: '-- This is an empty migration.\n\n',
    });
  });

  it.each([['a column', '@map("minute_limit")', '@map("per_minute")', /ADD COLUMN +"per_minute"/]])(
    'would be found to differ in %s',
    async (_what, from, to, difference) => {
      const schema = (await readFile('prisma/schema.prisma', 'utf8')).replace(from, to);
      const file = join(folder, 'schema.prisma');
      await writeFile(file, schema);
      const { code, stdout } = await diff(file);
      expect({ code, stdout }).toEqual({ code: 2, stdout: expect.stringMatching(difference) });
    },
  );
});

/** Each function that makes a new row, and what an insert that names no column would give each column of its table: its default, or null. */
const NEW_ROWS = `
  select proname as name, string_agg(format('%L, %s', attname, coalesce(pg_get_expr(adbin, adrelid), 'null')), ', ') as defaults
  from pg_proc
  join pg_class on reltype = prorettype and relkind = 'r'
  join pg_attribute on attrelid = pg_class.oid and attnum > 0 and not attisdropped and attidentity = ''
  left join pg_attrdef on adrelid = attrelid and adnum = attnum
  where proname ~ '^new_'
  group by proname
  order by proname`;

describe('a new row of the service', () => {
  it('has the defaults of the columns of its table', async () => {
    const { rows } = await client.query<{ name: string; defaults: string }>(NEW_ROWS);
    expect(rows.map(({ name }) => name)).toEqual(expect.arrayContaining(['new_order', 'new_pet']));
    await client.query('begin');
    for (const { name, defaults } of rows) {
      const { rows: made } = await client.query(
        `select to_jsonb(${name}()) - 'id' as made, jsonb_build_object(${defaults}) as defaults`,
      );
      expect([name, made[0].made]).toEqual([name, made[0].defaults]);
    }
    await client.query('rollback');
  });
});
