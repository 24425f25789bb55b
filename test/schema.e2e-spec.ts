import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { readFileSync } from 'node:fs';
import { Client } from 'pg';
import { createTestDatabase, type TestDatabase } from './support/database.js';

/** The blocks of the schema: what kind, its name in Prisma and in the database, and its lines. */
const blocks = [
  ...readFileSync('prisma/schema.prisma', 'utf8').matchAll(/^(model|enum) (\w+) \{\n(.*?)^\}/gms),
].map(([, kind, name = '', body = '']) => ({
  kind,
  name,
  mapped: /^ {2}@@map\("(\w+)"\)/m.exec(body)?.[1] ?? name,
  lines: body.split('\n').filter((line) => /^ {2}\w/.test(line)),
}));
const models = blocks.filter(({ kind }) => kind === 'model');
const enums = blocks.filter(({ kind }) => kind === 'enum');

/** PostgreSQL's types of a Prisma type, or of the `@db` attribute that a field has. */
const COLUMN_TYPES: Record<string, string> = {
  BigInt: 'bigint',
  Boolean: 'boolean',
  Bytes: 'bytea',
  Int: 'integer',
  Json: 'jsonb',
  String: 'text',
  '@db.Date': 'date',
  '@db.Timestamptz(6)': 'timestamp(6) with time zone',
  ...Object.fromEntries(enums.map(({ name, mapped }) => [name, mapped])),
};

/** A field as its column, such as `pets.status: pet_status null`; none where it is the other side of a relation. */
function columnOf(table: string, line: string): string[] {
  const [name = '', type = ''] = line.trim().split(/\s+/);
  const model = type.replace(/\?|\[\]/, '');
  if (models.some((one) => one.name === model)) return [];
  const column = /@map\("(\w+)"\)/.exec(line)?.[1] ?? name;
  const native = /@db\.\S+/.exec(line)?.[0] ?? model;
  return [`${table}.${column}: ${COLUMN_TYPES[native] ?? native}${type.endsWith('?') ? ' null' : ''}`];
}

let database: TestDatabase;
let client: Client;

beforeAll(async () => {
  database = await createTestDatabase();
  client = new Client({ connectionString: database.url });
  await client.connect();
});
afterAll(async () => {
  await client.end();
  await database.drop();
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
      `select public.delete_pet_if((select id from public.pets where name = 'Rex'), null, null)`,
    ];
    for (const statement of statements) await client.query(statement);
    const { rows } = await client.query('select * from public.pet_inventory()');
    await client.query('truncate public.orders, public.pets; rollback');
    expect(rows).toEqual([{ available: '0', pending: '0', sold: '1' }]);
  });

  it('finds what each function names: it was parsed before, or sets its own search_path', async () => {
    const { rows } = await client.query(
      `select proname from pg_proc
       where pronamespace = 'public'::regnamespace
         and prosqlbody is null
         and not coalesce(proconfig::text like '%search_path=public, pg_temp%', false)
         and prosrc ~ '\\m(from|into|update|join) (pets|orders|pet_counts|plans|api_key\\w*|audit_log)\\M'
         -- They name tables with their schema.
         and prosrc !~ '\\mpublic\\.'`,
    );
    expect(rows).toEqual([]);
  });
});

describe('prisma/schema.prisma', () => {
  it('has the tables and columns that the migrations create, with their types and nullability', async () => {
    const { rows } = await client.query<{ line: string }>(
      `select table_name || '.' || column_name || ': '
         || case data_type
              when 'USER-DEFINED' then udt_name
              when 'timestamp with time zone' then 'timestamp(' || datetime_precision || ') with time zone'
              else data_type
            end
         || case is_nullable when 'YES' then ' null' else '' end as line
       from information_schema.columns join information_schema.tables using (table_schema, table_name)
       where table_schema = 'public' and table_type = 'BASE TABLE' and table_name <> '_prisma_migrations'`,
    );
    expect(rows.length).toBeGreaterThan(0);
    const declared = models.flatMap(({ mapped, lines }) => lines.flatMap((line) => columnOf(mapped, line)));
    expect(declared.toSorted()).toEqual(rows.map(({ line }) => line).toSorted());
  });

  it('has the enums that the migrations create, with their values in order', async () => {
    const { rows } = await client.query<{ name: string; values: string[] }>(
      `select typname as name, array_agg(enumlabel::text order by enumsortorder) as values
       from pg_enum join pg_type on pg_type.oid = enumtypid
       where typnamespace = 'public'::regnamespace
       group by typname order by typname`,
    );
    const declared = enums.map(({ mapped, lines }) => ({
      name: mapped,
      values: lines.map((line) => line.trim()),
    }));
    expect(declared.toSorted((one, other) => one.name.localeCompare(other.name))).toEqual(rows);
  });
});

describe('a new row of the service', () => {
  it.each([
    ['pets', 'new_pet', { name: 'Rex', category_id: 7 }],
    ['orders', 'new_order', { pet_id: 1 }],
  ])('of %s has the defaults of its columns', async (table, of, members) => {
    await client.query('begin');
    await client.query(`insert into pets (id, name, category_id, status) values (1, 'Rex', 7, 'available')`);
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
