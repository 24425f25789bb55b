import { randomUUID } from 'node:crypto';
import { cp, mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { Client, escapeIdentifier } from 'pg';
import { MIGRATIONS_DIRECTORY } from '../../src/database/migration-files.js';
import { migrate } from '../../src/database/migrations.js';
import { findingsOf, petstoreOn } from '../cli/support/petstore.js';
import { createEmptyDatabase, createTestDatabase, type TestDatabase } from '../support/database.js';
import { asSuperuser, grantRoles, onServer, readRolesScript } from '../support/operator-roles.js';
import { rejectionOf } from '../support/sql-outcome.js';

/** Roles of the server, as platforms have them. */
const names = {
  anon: `anon_${randomUUID().slice(0, 8)}`,
  reports: `reports_${randomUUID().slice(0, 8)}`,
  // As of some identity providers, and quoted.
  owner: `Own.er@${randomUUID().slice(0, 8)}"`,
};
const [anon, reports, owner] = Object.values(names).map((name) => escapeIdentifier(name));
let folder: string;
let database: TestDatabase;
/** A superuser, who takes the roles of others. */
let admin: Client;

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'petstore-migrations-'));
  for (const role of [anon, reports, owner]) await onServer(`create role ${role ?? ''}`);
});
afterAll(async () => {
  await rm(folder, { recursive: true });
  for (const role of [anon, reports, owner]) await onServer(`drop role ${role ?? ''}`);
});

const open = async (created: Promise<TestDatabase>): Promise<void> => {
  database = await created;
  admin = new Client({ connectionString: asSuperuser(database.url) });
  await admin.connect();
};
afterEach(async () => {
  await admin.query(`alter database ${databaseName()} owner to ${userName()}`);
  await admin.query(`drop owned by ${anon}, ${reports}, ${owner} cascade`);
  await admin.end();
  await database.drop();
});

/** The migrations of a release that has one more, in a new directory. */
async function releaseWith(sql: string): Promise<string> {
  const directory = join(folder, randomUUID());
  await cp(MIGRATIONS_DIRECTORY, directory, { recursive: true });
  await mkdir(join(directory, '99991231000000_later'));
  await writeFile(join(directory, '99991231000000_later/migration.sql'), sql);
  return directory;
}

const userName = (): string => escapeIdentifier(new URL(database.url).username);
const databaseName = (): string => escapeIdentifier(new URL(database.url).pathname.slice(1));

const urlOf = (role: string): string => {
  const url = new URL(asSuperuser(database.url));
  url.username = role;
  url.password = 'secret';
  return url.toString();
};

/** Why a role cannot create a pet. */
const petOf = async (role: string): Promise<string | undefined> => {
  const client = new Client({ connectionString: urlOf(role) });
  await client.connect();
  const rejection = await rejectionOf(
    client,
    `insert into pets (name, category_id, status) values ('Rex', 1, 'available')`,
  );
  await client.end();
  return rejection?.message;
};

/** What the doctor says of rights. */
async function rights(petstore = petstoreOn(database.url)) {
  const { level = '', message = '' } = (await findingsOf(petstore))['rights'] ?? {};
  return { level, message };
}

const findings = async (): Promise<string> =>
  (await admin.query<{ finding: string }>('select finding from unlisted_rights()')).rows
    .map(({ finding }) => finding)
    .join('\n');

const RIGHTS_OF = `
  select relname::text as name, privilege_type as privilege from pg_class cross join aclexplode(relacl)
  where relnamespace = 'public'::regnamespace and grantee = $1::regrole
  union all
  select proname, privilege_type from pg_proc cross join aclexplode(proacl)
  where pronamespace = 'public'::regnamespace and grantee = $1::regrole
  order by 1, 2`;

/** What a role was granted on objects of the schema. */
const rightsOf = async (role = ''): Promise<readonly unknown[]> =>
  (await admin.query(RIGHTS_OF, [role])).rows;

const DEFAULTS = ['tables', 'functions', 'sequences'];

async function grantByDefault(role = ''): Promise<void> {
  for (const kind of DEFAULTS)
    await admin.query(
      `alter default privileges for role ${userName()} in schema public grant all on ${kind} to ${role}`,
    );
}

describe('a new database whose platform grants every new object to a role of its own', () => {
  beforeEach(async () => {
    await open(createEmptyDatabase());
    await grantByDefault(anon);
    await grantByDefault('public');
  });

  it('gives that role nothing, from the first migration on', async () => {
    await migrate({ connectionString: database.url });
    expect(await rightsOf(anon)).toEqual([]);
    const ofPublic = await admin.query(
      `select relname, privilege_type from pg_class cross join aclexplode(relacl)
       where relnamespace = 'public'::regnamespace and grantee = 0`,
    );
    expect(ofPublic.rows).toEqual([]);
    await admin.query(`set role ${anon}`);
    for (const sql of [
      `select issue_api_key('mine', 'enterprise')`,
      'select hash from api_key_secrets',
      'update plans set requests_per_minute = 1',
      'select * from _prisma_migrations',
    ]) {
      expect([sql, (await rejectionOf(admin, sql))?.code]).toEqual([sql, '42501']);
    }
    await admin.query('reset role');
    await grantRoles(database.url, 'superuser');
    expect(await rights()).toMatchObject({ level: 'ok' });
  });
});

describe('an upgrade', () => {
  it('grants other roles nothing on new objects, and keeps their rights on existing ones', async () => {
    await open(createTestDatabase());
    await grantByDefault(reports);
    await admin.query(`grant select on plan_overview, pets to ${reports}`);
    await migrate({
      connectionString: database.url,
      directory: await releaseWith(`
        create table later (id int);
        create temporary table definition as select pg_get_viewdef('plan_overview') as sql;
        drop view plan_overview cascade;
        do $$ begin execute 'create view plan_overview as ' || (select sql from definition); end $$`),
    });
    expect(await rightsOf(reports)).toEqual([
      { name: 'pets', privilege: 'SELECT' },
      { name: 'plan_overview', privilege: 'SELECT' },
    ]);
  });
});

describe('rights of other roles', () => {
  beforeEach(async () => {
    await open(createTestDatabase());
    await grantRoles(database.url, 'superuser');
  });

  it('are listed by the doctor, role by role, with statements that revoke them', async () => {
    expect(await rights()).toMatchObject({ level: 'ok' });
    await admin.query(`grant all on all tables in schema public to ${anon}`);
    await admin.query(`grant all on all functions in schema public to ${anon}`);
    await admin.query(`grant select (name) on pets to ${reports}`);
    const { level, message } = await rights();
    expect(level).toBe('warn');
    expect(message).toMatch(
      new RegExp(
        `${names.anon} has unlisted rights \\(\\d{3}\\), such as delete on table public\\.\\w+\\. As \\S+, run: revoke delete on table`,
      ),
    );
    expect(message).toContain(
      `${names.reports} has unlisted rights (1), such as select (name) on table public.pets.`,
    );
  });
  const ofDatabase: readonly (readonly [string, string])[] = [
    ['who may create functions in the schema', `grant create on schema public to ${anon}`],
    ['who may pass a right on', `grant select on plans to ${anon} with grant option`],
    ['who may use a sequence', `grant usage on sequence pets_id_seq to ${anon}`],
    [
      'who got it from another role',
      `grant select on plans to ${reports} with grant option; set role ${reports}; grant select on plans to ${anon}; reset role`,
    ],
  ];
  const ofServer: readonly (readonly [string, string])[] = [
    ['a member of pg_write_all_data', `grant pg_write_all_data to ${anon}`],
    ['a member of pg_read_all_data', `grant pg_read_all_data to ${anon}`],
    ['a member of a superuser', `grant postgres to ${anon}`],
    ['another owner of the schema', `alter schema public owner to ${anon}`],
    [
      'another owner of the database',
      `do $$ begin execute format('alter database %I owner to ${anon}', current_database()); end $$`,
    ],
  ];

  it.each([...ofDatabase, ...ofServer])(
    'include those of %s, with what takes them away',
    async (_whose, sql) => {
      // Members are of the whole server, where other tests would see them.
      await admin.query(`begin; ${sql}; savepoint granted`);
      const { rows } = await admin.query<{ statement: string; run_as: string }>(
        `select statement, run_as from rights_that_differ() where difference = 'unlisted' and role = $1`,
        [names.anon],
      );
      expect(rows.length).toBeGreaterThan(0);
      expect(await findings()).toContain(`${names.anon} has unlisted rights (${rows.length})`);
      for (const { statement, run_as: by } of rows)
        await admin.query(
          by === 'a superuser' ? statement : `set role ${escapeIdentifier(by)}; ${statement}; reset role`,
        );
      expect(await findings()).not.toContain(names.anon);
      await admin.query('rollback to granted');
      // As it says how they are listed.
      const [, listing = ''] = /(insert into wanted_rights .*;)/.exec(await findings()) ?? [];
      await admin.query(listing);
      expect(await findings()).not.toContain(names.anon);
      await admin.query('rollback');
    },
  );

  it.each([...ofDatabase, ...ofServer])(
    'go by --revoke-unlisted only in this database: %s',
    async (whose, sql) => {
      await admin.query(`begin; ${sql}; set local petstore.revoke_unlisted = on`);
      await admin.query(await readRolesScript());
      const left = (await findings()).includes(names.anon);
      expect(left).toBe(ofServer.some(([name]) => name === whose));
      await admin.query('rollback');
    },
  );

  it.each([
    [
      'a superuser, and what superusers own',
      'alter schema public owner to postgres; grant all on plans to postgres',
    ],
    ['the owner of the schema who is the database’s', 'alter schema public owner to pg_database_owner'],
  ])('are none of %s', async (_whose, sql) => {
    await admin.query(`begin; ${sql}`);
    expect(await findings()).toBe('');
    await admin.query('rollback');
  });

  it('that cannot be granted are reported, and do not block others', async () => {
    await admin.query(`revoke select on pets from petstore_service`);
    await admin.query(`insert into wanted_rights values ($1, 'usage', 'plans')`, [names.reports]);
    const { code, stderr } = await petstoreOn(database.url)(['db', 'roles']);
    expect([code, stderr]).toEqual([
      0,
      expect.stringContaining('a row of wanted_rights cannot be granted: grant usage on table public.plans'),
    ]);
    const { rows } = await admin.query(
      `select has_table_privilege('petstore_service', 'pets', 'select') as may`,
    );
    expect(rows).toEqual([{ may: true }]);
    expect(await rejectionOf(admin, `insert into wanted_rights values ('x', 'all', 'plans')`)).toMatchObject({
      code: '23514',
    });
  });

  it('are kept, unless unlisted and --revoke-unlisted is given', async () => {
    await admin.query(`grant select on plan_overview, pets to ${reports}`);
    await admin.query(`grant all on all functions in schema public to ${anon}`);
    const kept = await petstoreOn(database.url)(['db', 'roles']);
    expect(kept.stderr).toContain(`${names.reports} has unlisted rights (2)`);
    expect(await rightsOf(reports)).toHaveLength(2);
    await admin.query(`insert into wanted_rights values ($1, 'select', 'plan_overview')`, [names.reports]);
    expect((await petstoreOn(database.url)(['db', 'roles'])).stderr).toContain('has unlisted rights (1)');

    const { code, stderr } = await petstoreOn(asSuperuser(database.url))([
      'db',
      'roles',
      '--revoke-unlisted',
    ]);
    expect(code).toBe(0);
    expect(stderr).not.toContain('unlisted');
    expect(await rightsOf(reports)).toEqual([{ name: 'plan_overview', privilege: 'SELECT' }]);
    expect(await rightsOf(anon)).toEqual([]);
    expect(await rights()).toMatchObject({ level: 'ok' });
  });

  it('are granted again where they are listed', async () => {
    await admin.query(`insert into wanted_rights values ($1, 'select', 'plan_overview')`, [names.reports]);
    expect((await rights()).message).toContain(
      `missing rights: ${names.reports} (select on table public.plan_overview)`,
    );
    await petstoreOn(database.url)(['db', 'roles']);
    expect(await rightsOf(reports)).toEqual([{ name: 'plan_overview', privilege: 'SELECT' }]);
    expect(await rights()).toMatchObject({ level: 'ok' });
  });

  it('on their own tables are ignored', async () => {
    await admin.query(`create table mine (id int); grant all on mine to ${anon}`);
    expect((await rights()).message).not.toContain(names.anon);
  });
});

describe('a new owner of the tables', () => {
  beforeEach(async () => {
    await open(createEmptyDatabase());
    for (const role of [anon, owner]) await admin.query(`alter role ${role} login password 'secret'`);
    await admin.query(
      `alter database ${databaseName()} owner to ${anon}; alter schema public owner to pg_database_owner`,
    );
    await migrate({ connectionString: urlOf(names.anon) });
    await grantRoles(database.url, 'superuser');
    await admin.query(`reassign owned by ${anon} to ${owner}`);
  });

  it('and of the database can do all, and grants the roles once, as the doctor says', async () => {
    expect(await petOf(names.owner)).toBeUndefined();
    const petstore = petstoreOn(urlOf(names.owner));
    const directory = await releaseWith('create table later (id int)');
    expect(await migrate({ connectionString: urlOf(names.owner), directory })).toHaveLength(1);
    expect(await rights(petstore)).toEqual({
      level: 'warn',
      message: expect.stringMatching(
        /^missing rights: petstore_service \(insert on new tables\) and 1 more: run `petstore db roles`\.$/,
      ),
    });
    expect((await petstore(['db', 'roles'])).code).toBe(0);
    expect(await rights(petstore)).toMatchObject({ level: 'ok' });
  });

  it('alone needs a superuser once, as the doctor says', async () => {
    await admin.query(`alter database ${databaseName()} owner to ${anon}`);
    expect(await petOf(names.owner)).toContain('permission denied for function pg_try_advisory_xact_lock');
    const petstore = petstoreOn(asSuperuser(database.url));
    expect(await rights(petstore)).toEqual({
      level: 'fail',
      message: expect.stringMatching(
        /^the owner, .*, may not call .* run `petstore db roles` as a superuser\./,
      ),
    });
    expect((await petstore(['db', 'roles'])).code).toBe(0);
    expect(await petOf(names.owner)).toBeUndefined();
    expect(await rights(petstore)).toEqual({
      level: 'warn',
      message: expect.stringMatching(
        new RegExp(
          `^${names.anon} has unlisted rights \\(1\\), such as owner of database .* run: alter database`,
        ),
      ),
    });
  });
});
