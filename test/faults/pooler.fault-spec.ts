import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { chmod, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { getuid } from 'node:process';
import { afterAll, beforeAll, describe, expect, it, jest } from '@jest/globals';
import { Client } from 'pg';
import { migrate } from '../../src/database/migrations.js';
import { petstoreOn } from '../cli/support/petstore.js';
import { eventually } from '../support/eventually.js';
import { issueKeys } from '../support/issue-keys.js';
import { startReplica } from '../support/replicas.js';
import { send } from '../support/send.js';
import { openTestPool } from '../support/test-pool.js';
import {
  asSuperuser,
  createPetstoreDatabase,
  createPostgresServer,
  type PostgresServer,
} from './support/postgres-server.js';

jest.setTimeout(120_000);

/** PgBouncer (of the Debian package `pgbouncer`) in transaction mode, with one connection to the server for all its clients. */
let server: PostgresServer;
let pooler: ChildProcess;
let directory: string;
let url: string;
const PORT = 26_432;

const configuration = (): string => `[databases]
petstore = host=127.0.0.1 port=${server.port} dbname=petstore user=service password=right
[pgbouncer]
listen_addr = 127.0.0.1
listen_port = ${PORT}
unix_socket_dir =
auth_type = any
pool_mode = transaction
default_pool_size = 1
server_login_retry = 1
`;

beforeAll(async () => {
  server = await createPostgresServer();
  await server.start();
  await createPetstoreDatabase(server);
  await migrate({ connectionString: server.url });
  await asSuperuser(server, `create role service superuser login password 'right'`);
  await asSuperuser(server, `alter role service in database petstore set statement_timeout = '600ms'`);
  directory = await mkdtemp(join(tmpdir(), 'petstore-pooler-'));
  await chmod(directory, 0o755);
  await writeFile(join(directory, 'pgbouncer.ini'), configuration());
  pooler = spawn(
    'pgbouncer',
    [...(getuid?.() === 0 ? ['-u', 'nobody'] : []), join(directory, 'pgbouncer.ini')],
    {
      stdio: 'ignore',
    },
  );
  await once(pooler, 'spawn');
  url = `postgresql://service@127.0.0.1:${PORT}/petstore`;
  const client = openTestPool(url, { max: 1 });
  await eventually(() => client.query('select 1'));
  await client.end();
});
afterAll(async () => {
  pooler.kill();
  await server.remove();
  await rm(directory, { recursive: true });
});

/** The settings that a command has left on the one connection to the server. */
async function settingsLeft(): Promise<unknown[]> {
  const client = new Client({ connectionString: url });
  await client.connect();
  const { rows } = await client.query(
    `select name, setting from pg_settings
     where source = 'session' and name not in ('application_name', 'client_encoding', 'search_path')
       and setting is distinct from reset_val`,
  );
  await client.end();
  return rows;
}

describe('behind PgBouncer in transaction mode', () => {
  it.each([
    'doctor',
    'keys list',
    'keys issue --name Acme --plan free',
    'keys show 5000',
    'db migrate',
    'db roles',
  ])('petstore %s leaves no setting on the connection that others share', async (command) => {
    await petstoreOn(url)(command.split(' '));
    expect(await settingsLeft()).toEqual([]);
  });

  it("the role's statement time-out applies to statements after the doctor's", async () => {
    await petstoreOn(url)(['doctor']);
    const client = openTestPool(url, { max: 1 });
    await expect(client.query('select pg_sleep(5)')).rejects.toMatchObject({ code: '57014' });
    await client.end();
  });

  it('its server errors are in the log and the doctor', async () => {
    const operator = openTestPool(server.url, { max: 1 });
    const [key] = await issueKeys(operator, 1);
    await operator.end();
    const replica = await startReplica({
      databaseUrl: url,
      environment: { DATABASE_NAMED_STATEMENTS: 'off', LOG_LEVEL: 'info' },
    });
    const get = () => send(replica.origin, { key: key?.key ?? '' });
    try {
      expect((await get()).status).toBe(200);
      await asSuperuser(server, 'alter role service nologin');
      await asSuperuser(
        server,
        `select pg_terminate_backend(pid) from pg_stat_activity where usename = 'service'`,
      );
      await eventually(async () => {
        expect((await get()).status).toBe(503);
        expect(replica.log()).toMatch(
          /the database is away: .*(?:not permitted to log in|server login has been failing)/,
        );
        const { stdout } = await petstoreOn(url)(['doctor']);
        expect(stdout).toMatch(
          /^fail {2}connection {5}.*(?:not permitted to log in|server login has been failing)/m,
        );
      });
      await asSuperuser(server, 'alter role service login');
      await eventually(async () => {
        expect((await get()).status).toBe(200);
        expect(replica.log()).toMatch(/the database is back after \d+\.\d s/);
      });
    } finally {
      await replica.stop();
    }
  });
});
