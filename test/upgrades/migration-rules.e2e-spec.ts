import { execFile } from 'node:child_process';
import { createHash } from 'node:crypto';
import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { execPath } from 'node:process';
import { promisify } from 'node:util';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';

const OUTSIDE = '-- migrate: outside a transaction\n';

/** The first release: all that is live in the cases below. */
const RELEASED = `
create table pets (id bigint primary key, name text, category_id bigint);
create table orders (id bigint primary key, pet_id bigint);
create index pets_name_idx on pets (name);
create view named_pets as select id, name from pets;
create function count_pets() returns bigint return (select count(*) from pets);
create type mood as enum ('calm');
create trigger pets_touch before update on pets for each row execute function touch();
alter table pets add constraint pets_name_length check (char_length(name) < 256);
alter table pets add constraint pets_name_key unique (name);
update pets set name = 'Rex';
create table if not exists gone_before_anybody_came (id int);
drop table gone_before_anybody_came;
`;

/** By rule: what breaks it. A case of several texts is of as many migrations; the last is to break it. */
const BROKEN: Readonly<Record<string, readonly (string | readonly string[])[]>> = {
  'add-column-not-null': [
    'alter table pets add column age int not null;',
    'alter table only "pets" add age int check_it not null;',
    'alter table pets add column x1 int, add column y1 text collate "C" not null;',
  ],
  'volatile-default': [
    'alter table pets add column token uuid default gen_random_uuid();',
    `alter table pets add column seen timestamptz not null default clock_timestamp();`,
    `alter table pets add column tag text default md5(random()::text) not null;`,
    `alter table pets add column n bigint default nextval('s'::regclass);`,
  ],
  'table-rewrite': [
    'alter table pets add column n2 bigserial;',
    'alter table pets add column n3 bigint generated always as identity;',
    'alter table pets add column twice bigint generated always as (category_id * 2) stored;',
    'alter table pets set unlogged;',
    'alter table pets set tablespace fast;',
    'alter table pets set access method heap2;',
  ],
  'column-constraint': [
    'alter table pets add column age int check (age > 0);',
    'alter table pets add column owner_id bigint references owners (id);',
    'alter table pets add column chip text unique;',
  ],
  'column-type': [
    'alter table pets alter column category_id type text;',
    'alter table pets alter name set data type varchar(10) using left(name, 10);',
  ],
  'set-not-null': [
    'alter table pets alter column name set not null;',
    [
      'alter table pets add constraint a_check check (a is not null) not valid;',
      'alter table pets alter column a set not null;',
    ],
    [
      'alter table orders add constraint b_check check (b is not null) not valid;',
      'alter table orders validate constraint b_check;',
      'alter table pets alter column b set not null;',
    ],
    [
      'alter table pets add constraint c_check check (c is not null) not valid;',
      'alter table pets validate constraint c_check;',
      'alter table pets drop constraint c_check;',
      'alter table pets alter column c set not null;',
    ],
  ],
  'drop-default': [
    'alter table pets alter column name drop default;',
    'alter table pets alter id drop identity;',
  ],
  'drop-column': [
    'alter table pets drop column name;',
    'alter table if exists pets add column y2 int, drop if exists name cascade;',
  ],
  'constraint-not-valid': [
    'alter table orders add constraint d_fkey foreign key (pet_id) references pets (id);',
    'alter table pets add check (name is not null);',
    'alter table pets add constraint e_null not null name;',
  ],
  'constraint-index': [
    'alter table pets add constraint f_key unique (name);',
    'alter table pets add primary key (id) using index tablespace fast;',
    'alter table pets add constraint g_excl exclude using gist (name with =);',
  ],
  'validate-apart': [
    'alter table pets add constraint h_check check (id > 0) not valid; alter table pets validate constraint h_check;',
    'alter table pets add constraint l_check check (id > 0) not valid, validate constraint l_check;',
  ],
  'drop-constraint': ['alter table pets drop constraint pets_name_key;'],
  'create-index': [
    'create index on pets (category_id);',
    'create unique index if not exists pets_x_key on only public.pets (category_id) where id > 0;',
  ],
  'drop-index': ['drop index pets_name_idx;', 'drop index if exists public.pets_name_idx cascade;'],
  'drop-object': [
    'drop table pets;',
    'drop table if exists unknown_but_perhaps_there;',
    'drop view named_pets;',
    'drop function count_pets();',
    'drop trigger pets_touch on pets;',
    'drop type mood;',
    'drop schema public cascade;',
    'drop owned by petstore;',
  ],
  rename: [
    'alter table pets rename to animals;',
    'alter table pets rename column name to title;',
    'alter table pets rename name to title;',
    'alter table pets set schema shop;',
    'alter view named_pets rename to pets_with_names;',
    'alter function count_pets() rename to pets_count;',
    `alter type mood rename value 'calm' to 'quiet';`,
    'alter index pets_name_idx rename to pets_names;',
  ],
  'type-attribute': [
    'alter type address drop attribute street;',
    'alter type address alter attribute a type int;',
  ],
  revoke: [
    'revoke select on pets from petstore_service;',
    'revoke all on function count_pets() from public;',
    'revoke insert on table orders, pets from petstore_service;',
  ],
  'exclusive-maintenance': [
    `${OUTSIDE}vacuum full pets;`,
    `${OUTSIDE}vacuum (full, analyze) pets;`,
    'cluster pets using pets_pkey;',
    'reindex table pets;',
    'refresh materialized view pets_by_day;',
  ],
  'lock-table': ['lock table pets in share mode;', 'lock pets;'],
  truncate: ['truncate pets;', 'truncate table only orders restart identity;'],
  'two-tables': [
    'alter table pets add column x3 int; alter table orders add column x3 int;',
    'alter table pets add column x4 int; create trigger orders_touch after insert on orders for each row execute function touch();',
  ],
  'lock-timeout': [
    `set lock_timeout = '1h';`,
    'set local statement_timeout to 0;',
    'reset lock_timeout;',
    `select set_config('lock_timeout', '0', true);`,
  ],
  'transaction-control': ['begin;', 'create table t1 (id int); commit;', 'savepoint here;'],
  'concurrently-inside': [
    'create index concurrently if not exists i1 on pets (name);',
    `-- a word before\n${OUTSIDE}drop index concurrently if exists pets_name_idx;`,
    'vacuum pets;',
  ],
  'needless-outside': [
    `${OUTSIDE}alter table pets add column x5 int;`,
    `${OUTSIDE}create table t2 (id int);`,
  ],
  'not-repeatable': [
    `${OUTSIDE}create index concurrently i2 on pets (name);`,
    `${OUTSIDE}drop index concurrently pets_name_idx;`,
    `${OUTSIDE}alter type mood add value 'wild';`,
  ],
  'unbatched-write': [
    `update pets set name = 'Rex';`,
    'delete from only pets where id > 5;',
    'with gone as (delete from pets returning id) select count(*) from gone;',
    'with some as (select 1) update orders set pet_id = 1;',
    'merge into pets using orders on true when matched then delete;',
    `${OUTSIDE}do $$ begin update pets set name = 'Rex'; commit; end $$;`,
  ],
  'do-block': ['do $$ begin perform 1; end $$;'],
  'outside-is-one': [
    OUTSIDE,
    `${OUTSIDE}drop index concurrently if exists a; create index concurrently if not exists a on pets (name);`,
  ],
  exemption: [
    '-- lint: allow drop-colum: unused since 1.1.0\nselect 1;',
    '-- lint: allow drop-column: unused since 1.1.0\nselect 1;',
    '-- lint: allow drop-column\nselect 1;',
  ],
};

/** What keeps to every rule. */
const SOUND: readonly (string | readonly string[])[] = [
  'alter table pets add column nick text;',
  `alter table pets add column if not exists kind text not null default 'cat';`,
  'alter table pets add column born timestamptz(6) not null default now();',
  `alter table pets add column weight numeric(5, 2) default 1.5::numeric(5, 2), add tags text[] default '{}'::text[];`,
  'alter table pets add column nothing int default null;',
  'alter table pets alter column name set default gen_random_uuid()::text;',
  'alter table pets alter column name set statistics 1000;',
  'alter table pets drop constraint pets_name_length;',
  'create table if not exists pets (id bigint);',
  'alter table orders add constraint i_fkey foreign key (pet_id) references pets (id) not valid;',
  [
    'alter table pets add constraint j_check check (j is not null) not valid;',
    'alter table pets validate constraint j_check;',
    'alter table pets alter column j set not null; alter table pets drop constraint j_check;',
  ],
  `${OUTSIDE}create unique index concurrently if not exists k_key on pets (name);`,
  'alter table pets add constraint k_key unique using index k_key;',
  `${OUTSIDE}drop index concurrently if exists pets_name_idx;`,
  `${OUTSIDE}-- The old rows.\ndo $$ begin loop update pets set nick = name where id in (
     select id from pets where nick is null limit 1000); exit when not found; commit; end loop; end $$;`,
  `create table owners (id bigint primary key, pet_id bigint references pets (id));
   create index on owners (pet_id); alter table owners alter column pet_id type int, drop column id;
   update owners set pet_id = 1; truncate owners; revoke all on owners from public; alter table owners rename to keepers;`,
  'create function late() returns int return 1; revoke execute on function late() from public; drop function late();',
  `create or replace function count_pets() returns bigint language plpgsql as $$
   begin update pets set name = 'x'; drop table pets; return 1; end $$;`,
  'create or replace trigger pets_touch before update on pets for each row execute function touch();',
  `insert into pets (id, name) values (1, 'update pets; drop table pets') on conflict (id) do update set name = 'y';`,
  `alter type mood add value if not exists 'wild';`,
  `comment on table pets is 'alter table pets drop column name;';`,
  '-- drop table pets; /* alter table pets rename to x; */\nselect 1;',
  'grant select on pets to petstore_service;',
  `-- lint: allow drop-column: nobody names it since 1.1.0\nalter table pets drop column old1;`,
  `alter table pets\n  -- lint: allow drop-column: nobody names it since 1.1.0\n  drop column old2;`,
  `alter table pets drop column old3; -- lint: allow drop-column: nobody names it since 1.1.0`,
  `-- lint: allow unbatched-write: there are four plans\nupdate orders set pet_id = 1 where id = 1;`,
];

const run = promisify(execFile);

interface Fault {
  readonly migration: string;
  readonly line: number;
  readonly rule: string;
  readonly message: string;
}

const nameOf = (rule: string, place: number, part: number): string =>
  `2_${rule}_${String(place).padStart(2, '0')}_${part}`;
const titleOf = (one: string | readonly string[]): string => partsOf(one).join(' | ').replaceAll(/\s+/g, ' ');
const partsOf = (one: string | readonly string[]): readonly string[] =>
  typeof one === 'string' ? [one] : one;

let folder: string;
let faults: readonly Fault[];
let released: readonly Fault[];

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'migration-rules-spec-'));
  await write('1_released', RELEASED);
  for (const [rule, cases] of Object.entries({ ...BROKEN, SOUND })) {
    for (const [place, one] of cases.entries()) {
      for (const [part, sql] of partsOf(one).entries()) await write(nameOf(rule, place, part), sql);
    }
  }
  await record('1.0.0.json', [{ name: '1_released', checksum: sha256(RELEASED) }]);
  faults = await check();
  await record('1.0.0.json', [
    { name: '1_released', checksum: sha256('something else') },
    { name: '1_removed', checksum: sha256('') },
  ]);
  released = (await check()).filter(({ rule }) => rule === 'released');
});
afterAll(() => rm(folder, { recursive: true }));

const sha256 = (text: string): string => createHash('sha256').update(text).digest('hex');

async function write(name: string, sql: string): Promise<void> {
  await mkdir(join(folder, 'migrations', name), { recursive: true });
  await writeFile(join(folder, 'migrations', name, 'migration.sql'), sql);
}

async function record(file: string, migrations: readonly object[]): Promise<void> {
  await mkdir(join(folder, 'releases'), { recursive: true });
  await writeFile(
    join(folder, 'releases', file),
    JSON.stringify({ version: '1.0.0', migrations, statements: [] }),
  );
}

async function check(): Promise<readonly Fault[]> {
  const words = [
    'tools/check-migrations.mjs',
    '--json',
    join(folder, 'migrations'),
    join(folder, 'releases'),
  ];
  const outcome = await run(execPath, words).catch((error: unknown) => error as { readonly stdout: string });
  return JSON.parse(outcome.stdout) as readonly Fault[];
}

const rulesOf = (migration: string): readonly string[] =>
  faults.filter((fault) => fault.migration === migration).map(({ rule }) => rule);

describe('check:migrations', () => {
  describe.each(Object.entries(BROKEN))('refuses by %s', (rule, cases) => {
    it.each(cases.map((one, place) => [titleOf(one), one, place] as const))('%s', (_sql, one, place) => {
      const last = partsOf(one).length - 1;
      expect(rulesOf(nameOf(rule, place, last))).toEqual([rule]);
      for (let part = 0; part < last; part += 1) expect(rulesOf(nameOf(rule, place, part))).toEqual([]);
    });
  });

  it.each(SOUND.map((one, place) => [titleOf(one), one, place] as const))(
    'lets pass: %s',
    (_sql, one, place) => {
      for (const part of partsOf(one).keys()) expect(rulesOf(nameOf('SOUND', place, part))).toEqual([]);
    },
  );

  it('has a case for each of its rules, and says of each what to do', async () => {
    const { stdout } = await run(execPath, [
      '--input-type=module',
      '--eval',
      `import { RULES } from '${join(process.cwd(), 'tools/migrations/lint.mjs')}'; console.log(JSON.stringify(RULES))`,
    ]);
    const rules = JSON.parse(stdout) as Record<string, { readonly says: string }>;
    expect(Object.keys(BROKEN)).toEqual(expect.arrayContaining(Object.keys(rules)));
    for (const { says } of Object.values(rules)) expect(says.length).toBeGreaterThan(20);
  });

  it('lets the first release alone, before which nothing was live', () => {
    expect(rulesOf('1_released')).toEqual([]);
  });

  it('names the line of the statement', () => {
    const fault = faults.find(({ migration }) => migration === nameOf('concurrently-inside', 1, 0));
    expect(fault).toMatchObject({ line: 3 });
  });

  it('refuses a released migration that was edited or removed', () => {
    expect(released.map(({ migration }) => migration)).toEqual(['1_released', '1_removed']);
  });

  it("finds nothing in this project's migrations", async () => {
    const { stdout } = await run(execPath, ['tools/check-migrations.mjs']);
    expect(stdout).toMatch(/^\d+ migrations keep to the rules\n$/);
  });
});
