import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { readFileSync } from 'node:fs';
import { Client, type Pool } from 'pg';
import { migrate } from '../../src/database/migrations.js';
import { findingsOf, petstoreOn } from '../cli/support/petstore.js';
import { createPostgresServer, type PostgresServer } from '../faults/support/postgres-server.js';
import { awaitAbsentStandby, awaitNoStandby } from '../faults/support/standby.js';
import { readRolesScript } from '../support/operator-roles.js';
import { psqlInputOf, runPsqlScript } from '../support/psql-script.js';
import { rejectionOf, selectOne } from '../support/sql-outcome.js';
import { openTestPool } from '../support/test-pool.js';

const SCRIPT = readFileSync('deploy/postgres/roles.sh', 'utf8');
const PASSWORDS = {
  PETSTORE_OWNER_PASSWORD: 'owner',
  PETSTORE_API_PASSWORD: 'api',
  PETSTORE_API_2_PASSWORD: 'api 2',
  PETSTORE_CLI_PASSWORD: 'cli',
};

let server: PostgresServer;
let superuser: Pool;

beforeAll(async () => {
  server = await createPostgresServer({ max_connections: '60', max_slot_wal_keep_size: '1MB' });
  await server.start();
  // Somebody who was there before.
  const before = openTestPool(server.superuserUrl, { max: 1 });
  await before.query('create role monitor login; create role gone nologin');
  await before.end();
  await runRolesScript();
  superuser = openTestPool(urlOf('postgres', 'petstore'), { max: 1 });
  await superuser.query(
    `create role alice login in role petstore_operator; create role bob login connection limit 3 in role petstore_support`,
  );
  await superuser.query(`alter role alice in database petstore set statement_timeout = '1h'`);
  await superuser.query('alter role bob in database petstore set statement_timeout = 0');
  await runRolesScript();
  await migrateAsOwner();
});
afterAll(async () => {
  await superuser.end();
  await server.remove();
});

function urlOf(role: string, database = 'petstore'): string {
  const url = new URL(server.superuserUrl);
  url.username = role;
  url.pathname = database;
  return url.toString();
}

/** What deploy/postgres/roles.sh does: its own statements, then those of prisma/roles.sql. */
async function runRolesScript(): Promise<void> {
  await runPsqlScript(psqlInputOf(SCRIPT), PASSWORDS, (database) => urlOf('postgres', database));
  const pool = openTestPool(urlOf('postgres'), { max: 1 });
  await pool.query(`set petstore.before_migrations = on; ${await readRolesScript()}`);
  await pool.end();
}

async function migrateAsOwner(): Promise<void> {
  const url = urlOf('petstore_owner');
  await migrate({ connectionString: url, log: { info: () => undefined } });
  const { code, stderr } = await petstoreOn(url)(['db', 'roles']);
  expect({ code, stderr }).toEqual({ code: 0, stderr: '' });
}

/** Runs statements as a role, and returns the code of the first error. */
async function tryAs(role: string, ...statements: readonly string[]): Promise<string | undefined> {
  const client = new Client({ connectionString: urlOf(role) });
  await client.connect();
  try {
    for (const statement of statements) {
      const rejection = await rejectionOf(client, statement);
      if (rejection !== undefined) return rejection.code;
    }
    return undefined;
  } finally {
    await client.end();
  }
}

/** What a new session of a role begins with. */
const shown = async (role: string): Promise<unknown> => {
  const pool = openTestPool(urlOf(role), { max: 1 });
  const settings = await selectOne(
    pool,
    `select current_setting('statement_timeout') as statement,
            current_setting('idle_in_transaction_session_timeout') as idle, current_setting('temp_file_limit') as files`,
  );
  await pool.end();
  return settings;
};

const findings = async (): Promise<readonly string[]> =>
  (await superuser.query<{ finding: string }>('select finding from missing_protections()')).rows.map(
    ({ finding }) => finding,
  );

describe('deploy/postgres/roles.sh', () => {
  it('sets all protections, even if run before the first migration', async () => {
    expect(await findings()).toEqual([]);
    expect(await doctorAs('petstore_cli')).toMatchObject({
      server: 'ok: every limit of logins is set',
    });
  });

  it.each(['petstore_cli', 'alice', 'bob'])(
    'lets %s take no locks of his own, write no log or file, and use up no transaction ids',
    async (role) => {
      for (const statement of [
        'select pg_advisory_lock(g) from generate_series(1, 20000) as g',
        'select pg_try_advisory_xact_lock(g, g) from generate_series(1, 20000) as g',
        `select pg_try_advisory_xact_lock_shared(hashtext('pet_counts'), g) from generate_series(1, 64) as g`,
        `select pg_logical_emit_message(false, 'x', repeat('x', 1000)) from generate_series(1, 141000)`,
        `select pg_logical_emit_message(false, 'x', 'x'::bytea)`,
        'select lo_create(0)',
        'select pg_export_snapshot()',
        'select pg_current_xact_id()',
        'select txid_current()',
      ]) {
        expect([statement, await tryAs(role, statement)]).toEqual([statement, '42501']);
      }
    },
  );

  it.each(['petstore_api', 'petstore_owner'])('leaves %s the locks that it needs', async (role) => {
    expect(
      await tryAs(role, 'select pg_try_advisory_xact_lock(7)', 'select pg_advisory_xact_lock(7, 7)'),
    ).toBeUndefined();
  });

  it('leaves the owner transaction ids, and a parallel dump its snapshot', async () => {
    await superuser.query('grant pg_read_all_data to monitor');
    const takeIds = ['select pg_current_xact_id()', 'select txid_current()'];
    expect(await tryAs('petstore_owner', ...takeIds, 'select pg_export_snapshot()')).toBeUndefined();
    expect(await tryAs('monitor', 'select pg_export_snapshot()')).toBeUndefined();
    expect(await Promise.all(takeIds.map((statement) => tryAs('monitor', statement)))).toEqual([
      '42501',
      '42501',
    ]);
    await superuser.query('revoke pg_read_all_data from monitor');
  });

  it.each(['postgres', 'template1'])(
    'keeps them from connecting to %s, and no other role',
    async (database) => {
      const codes = await Promise.all(
        ['petstore_cli', 'alice', 'bob', 'monitor', 'petstore_api'].map(async (role) => {
          const client = new Client({ connectionString: urlOf(role, database) });
          return await client
            .connect()
            .then(() => client.end())
            .then(
              () => 'connected',
              (error: { code?: string }) => error.code,
            );
        }),
      );
      expect(codes).toEqual(['42501', '42501', '42501', 'connected', 'connected']);
    },
  );

  it('limits the connections of each login, and leaves room for the owner and for people', async () => {
    const { rows } = await superuser.query<{ rolname: string; rolconnlimit: number }>(
      `select rolname, rolconnlimit from pg_roles where rolcanlogin and not rolsuper order by rolname collate "C"`,
    );
    expect(rows.map(({ rolname, rolconnlimit }) => [rolname, rolconnlimit])).toEqual([
      ['alice', 10],
      // Somebody's choice.
      ['bob', 3],
      ['monitor', -1],
      ['petstore_api', 37],
      ['petstore_api_2', 37],
      ['petstore_cli', 10],
      ['petstore_owner', 10],
    ]);
  });

  it('times out forgotten sessions, and keeps custom time-outs', async () => {
    expect(await shown('petstore_cli')).toEqual({ statement: '15min', idle: '5min', files: '1GB' });
    expect(await shown('alice')).toEqual({ statement: '1h', idle: '5min', files: '1GB' });
    // No time-out is no choice.
    expect(await shown('bob')).toEqual({ statement: '15min', idle: '5min', files: '1GB' });
    expect(await shown('petstore_api')).toEqual({ statement: '600ms', idle: '5s', files: '1GB' });
    expect(await shown('petstore_owner')).toEqual({ statement: '0', idle: '0', files: '-1' });
  });

  it.each(['petstore_cli', 'petstore_api'])(
    'bounds the temporary files of %s, who cannot change that',
    async (role) => {
      for (const statement of [
        'set temp_file_limit = -1',
        'alter role current_user in database petstore set temp_file_limit = -1',
        'alter role current_user in database petstore reset temp_file_limit',
      ]) {
        expect([statement, await tryAs(role, statement)]).toEqual([statement, '42501']);
      }
      await superuser.query(`alter role ${role} in database petstore set temp_file_limit = '1MB'`);
      expect(
        await tryAs(
          role,
          'set statement_timeout = 0',
          `select count(*) from (select g from generate_series(1, 1000000) as g order by g::text) as s`,
        ),
      ).toBe('53400');
      await superuser.query(`alter role ${role} in database petstore set temp_file_limit = '1GB'`);
    },
  );

  it('shows the owner and operators what other sessions do', async () => {
    const statement = `select 1 / count(*) from pg_stat_activity where usename = 'postgres' and query ~ 'planted'`;
    await superuser.query(`select 'planted'`);
    expect(await tryAs('alice', statement)).toBeUndefined();
    expect(await tryAs('petstore_owner', statement)).toBeUndefined();
    expect(await tryAs('bob', statement)).toBe('22012');
    // A password would be in the text of a statement.
    expect(SCRIPT).toMatch(/^set track_activities = off;$/m);
  });

  it('gives an owner that also serves the service settings, without a file limit', async () => {
    await superuser.query('grant petstore_service to petstore_owner');
    await runRolesScript();
    expect(await shown('petstore_owner')).toEqual({ statement: '600ms', idle: '5s', files: '-1' });
    await superuser.query(
      'revoke petstore_service from petstore_owner; alter role petstore_owner in database petstore reset all',
    );
  });

  it('keeps an owner password set by a Kubernetes operator', async () => {
    const { PETSTORE_OWNER_PASSWORD: _, ...passwords } = PASSWORDS;
    await superuser.query(`alter role petstore_owner password 'of the operator'`);
    const password = (): Promise<unknown> =>
      selectOne(superuser, `select rolpassword from pg_authid where rolname = 'petstore_owner'`);
    const given = await password();
    await runPsqlScript(psqlInputOf(SCRIPT), passwords, (database) => urlOf('postgres', database));
    expect(await password()).toEqual(given);
    await runRolesScript();
    expect(await password()).not.toEqual(given);
  });

  it('is idempotent, and resets what a login changed for itself', async () => {
    await superuser.query('alter role petstore_cli in database petstore reset statement_timeout');
    expect(await findings()).toEqual(['no statement_timeout is set in this database for petstore_cli']);
    await runRolesScript();
    expect(await findings()).toEqual([]);
  });
});

const doctorAs = async (role: string): Promise<Readonly<Record<string, unknown>>> =>
  Object.fromEntries(
    Object.values(await findingsOf(petstoreOn(urlOf(role)))).map(({ check, level, message }) => [
      check,
      `${level}: ${message}`,
    ]),
  );

const counted = (): Promise<unknown> =>
  selectOne(
    superuser,
    `select (select count(*) from audit_log) as entries,
       (select coalesce(sum(requests), 0) from address_usage_hours) as requests`,
  );

describe('petstore doctor', () => {
  it.each(['petstore_owner', 'petstore_api', 'alice'])(
    'commits a write that changes nothing, as %s',
    async (role) => {
      const before = await counted();
      expect(await doctorAs(role)).toMatchObject({
        disk: 'ok: there is room, and a small write was committed',
      });
      expect(await counted()).toEqual(before);
    },
  );

  it('ends while a synchronous standby is away, and while somebody else changes a plan', async () => {
    await superuser.query(`set synchronous_commit = 'local'`);
    await awaitAbsentStandby(server);
    await superuser.query('begin');
    await superuser.query('select from plans for update');
    try {
      expect(await doctorAs('alice')).toMatchObject({
        disk: 'ok: there is room, and a small write was committed',
      });
    } finally {
      await superuser.query('rollback');
      await awaitNoStandby(server);
      await superuser.query('reset synchronous_commit');
    }
  });

  it('says that a login of support cannot write', async () => {
    expect(await doctorAs('bob')).toMatchObject({
      disk: 'ok: there is room; no commit was tried, because this login may not write: run the doctor as an operator, too',
      slots: 'ok: no replication slot is behind',
      bans: 'ok: every key can be banned',
    });
  });

  it('names keys whose bans are lifted in the future', async () => {
    await superuser.query(`select issue_api_key('Acme', 'free')`);
    await superuser.query('alter table api_keys disable trigger api_keys_not_lifted_later');
    await superuser.query(`update api_keys set bans_lifted_at = '2099-01-01Z'`);
    await superuser.query('alter table api_keys enable trigger api_keys_not_lifted_later');
    const { bans } = await doctorAs('bob');
    expect(bans).toMatch(
      /^warn: .+: key \d+ until 2099-01-01 .+\. Set bans_lifted_at to now\(\) for each\.$/,
    );
    await superuser.query('update api_keys set bans_lifted_at = now()');
    expect(await doctorAs('bob')).toMatchObject({ bans: 'ok: every key can be banned' });
  });

  it('names a replication slot that has fallen behind', async () => {
    await superuser.query(`select pg_create_physical_replication_slot('backup', true)`);
    for (let segment = 0; segment < 4; segment += 1) {
      await superuser.query(`select pg_logical_emit_message(false, 'x', 'x')`);
      await superuser.query('select pg_switch_wal()');
    }
    await superuser.query('checkpoint');
    expect(await doctorAs('bob')).toMatchObject({
      slots: expect.stringMatching(/^warn: backup has lost required WAL: set up its consumer again\. /),
    });
    await superuser.query(`select pg_drop_replication_slot('backup')`);
  });
});

describe('missing_protections()', () => {
  beforeEach(() => superuser.query('begin'));

  afterEach(() => superuser.query('rollback'));

  it.each([
    [
      'grant execute on function pg_advisory_lock(bigint) to public',
      'every role may call functions that use up memory, disk or transaction ids of the whole server, such as pg_advisory_lock(bigint)',
    ],
    [
      'grant execute on function lo_create(oid) to public',
      'every role may call functions that use up memory, disk or transaction ids of the whole server, such as lo_create(oid)',
    ],
    ...['pg_export_snapshot()', 'pg_current_xact_id()', 'txid_current()'].map((name) => [
      `grant execute on function ${name} to public`,
      `every role may call functions that use up memory, disk or transaction ids of the whole server, such as ${name}`,
    ]),
    [
      'grant connect on database postgres, template1 to petstore_cli',
      'petstore_cli may connect to other databases of the server (postgres, template1), where these protections do not apply',
    ],
    ['alter role petstore_api connection limit -1', 'no connection limit is set for petstore_api'],
    [
      'alter role petstore_cli in database petstore reset temp_file_limit',
      'no temp_file_limit is set in this database for petstore_cli',
    ],
    [
      'alter role alice in database petstore reset statement_timeout; alter role bob in database petstore reset all; alter role bob in database petstore set temp_file_limit = 1; alter role bob in database petstore set idle_in_transaction_session_timeout = 1',
      'no statement_timeout is set in this database for alice, bob',
    ],
    [
      'alter role petstore_api_2 in database petstore set statement_timeout = 0',
      'no statement_timeout is set in this database for petstore_api_2',
    ],
  ])('finds: %s', async (statement, finding) => {
    await superuser.query(statement);
    expect(await findings()).toEqual([finding]);
  });

  it('ignores roles without login, the owner, superusers and others', async () => {
    await superuser.query(
      `create role team nologin in role petstore_operator; create role root login superuser in role petstore_operator;
       create role other login; grant petstore_operator to petstore_owner`,
    );
    expect(await findings()).toEqual([]);
  });

  it('is reported to the owner and by the doctor', async () => {
    await superuser.query('rollback');
    await superuser.query('alter role petstore_cli connection limit -1');
    const finding = 'no connection limit is set for petstore_cli';
    const owner = petstoreOn(urlOf('petstore_owner'));
    expect((await owner(['db', 'roles'])).stderr).toBe(
      `${finding}. Only a superuser may change this: deploy/postgres/roles.sh\n`,
    );
    expect(await doctorAs('petstore_owner')).toMatchObject({
      server: `warn: ${finding}: as a superuser, run deploy/postgres/roles.sh.`,
    });
    await runRolesScript();
    expect((await owner(['db', 'roles'])).stderr).toBe('');
  });
});
