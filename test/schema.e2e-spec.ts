import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { execFile } from 'node:child_process';
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { Client } from 'pg';
import { parse } from 'yaml';
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
  it('has no name that this one reserves: the older one, which does not know that, writes it without quotes', async () => {
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

  it.each([
    ['NewPet', 'pets'],
    ['NewCategory', 'categories'],
  ])('takes as long a name of %s as the document says', async (schema, table) => {
    const { components } = parse(await readFile('docs/openapi.yaml', 'utf8')) as {
      components: { schemas: Record<string, { properties: { name: { maxLength: number } } }> };
    };
    const longest = components.schemas[schema]?.properties.name.maxLength ?? 0;
    const { rows } = await client.query<{ definition: string }>(
      'select pg_get_constraintdef(oid) as definition from pg_constraint where conname = $1',
      [`${table}_name_length`],
    );
    expect(rows[0]?.definition).toContain(`char_length(name) <= ${longest})`);
  });

  it('finds what each function names: it was parsed before, or sets its own search_path', async () => {
    const { rows } = await client.query(
      `select proname from pg_proc
       where pronamespace = 'public'::regnamespace
         and prosqlbody is null
         and not coalesce(proconfig::text like '%search_path=public, pg_temp%', false)
         and prosrc ~ '\\m(from|into|update|join) (pets|orders|categories|pet_counts|plans|api_key\\w*|audit_log)\\M'
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

  it.each([
    ['a default', ' @default(write)', '', /ALTER COLUMN "access" DROP DEFAULT/],
    ['an index', '  @@index([changedAt])\n', '', /DROP INDEX "audit_log_changed_at_idx"/],
    [
      'a unique key',
      '  @@index([prefix])',
      '  @@unique([prefix])',
      /UNIQUE INDEX "api_key_secrets_prefix_key"/,
    ],
    ['a primary key', '@@id([apiKeyId, day])', '@@id([day, apiKeyId])', /"api_key_usage_pkey" PRIMARY KEY/],
    ['a foreign key', 'onUpdate: Restrict', 'onUpdate: Cascade', /"api_key_usage_hours_operation_fkey"/],
    ['a type', 'minuteLimit Int ', 'minuteLimit BigInt', /"minute_limit" SET DATA TYPE BIGINT/],
    ['a column', '@map("minute_limit")', '@map("per_minute")', /ADD COLUMN +"per_minute"/],
    ['nullability', 'revokedAt         DateTime?', 'revokedAt         DateTime', /"revoked_at" SET NOT NULL/],
    ['an enum', '  sold\n', '  sold\n  lost\n', /'lost'/],
  ])('would be found to differ in %s', async (_what, from, to, difference) => {
    const schema = (await readFile('prisma/schema.prisma', 'utf8')).replace(from, to);
    const file = join(folder, 'schema.prisma');
    await writeFile(file, schema);
    const { code, stdout } = await diff(file);
    expect({ code, stdout }).toEqual({ code: 2, stdout: expect.stringMatching(difference) });
  });
});

const NEW_ROWS = [
  ['pets', 'new_pet', { name: 'Rex', category_id: 7 }],
  ['orders', 'new_order', { pet_id: 4711 }],
  ['categories', 'new_category', { name: 'Dogs' }],
] as const;

describe('a new row of the service', () => {
  it('has a function for each table', async () => {
    const { rows } = await client.query<{ name: string }>(
      `select proname as name from pg_proc where proname ~ '^new_' and prorettype in (select reltype from pg_class where relkind = 'r') order by 1`,
    );
    expect(rows.map(({ name }) => name)).toEqual(NEW_ROWS.map(([, name]) => name).toSorted());
  });

  it.each(NEW_ROWS)('of %s has the defaults of its columns', async (table, of, members) => {
    await client.query('begin');
    await client.query(
      `insert into pets (id, name, category_id, status) values (4711, 'Rex', 7, 'available')`,
    );
    const columns = Object.keys(members);
    const { rows: inserted } = await client.query<{ row: object }>(
      `insert into ${table} (${columns.join(', ')}) select ${columns.join(', ')} from jsonb_populate_record(null::${table}, $1)
       returning to_jsonb(${table}) - 'id' as row`,
      [members],
    );
    const { rows: filled } = await client.query<{ row: object }>(
      `select to_jsonb(jsonb_populate_record(${of}(), $1)) - 'id' as row`,
      [members],
    );
    await client.query('rollback');
    expect(filled).toEqual(inserted);
  });
});
