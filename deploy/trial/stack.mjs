// What docker-compose.yml describes as profile scale, on this machine and without containers: the same HAProxy and PgBouncer
// files, the replicas with the same variables. Only host names, ports and the path of files are others.
import { randomBytes } from 'node:crypto';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import pg from 'pg';
import { parse } from 'yaml';
import { SESSION_SETTINGS } from '../../dist/prisma/session-settings.js';
import { openTemporaryDatabase } from '../../tools/temporary-database.mjs';
import { isUpAtHaproxy, startHaproxy } from './haproxy.mjs';
import { startPgBouncer } from './pgbouncer.mjs';
import { freePorts, Programs, ROOT, until } from './programs.mjs';
import { runCommandLine, startReplica } from './replica.mjs';

export const REPLICAS = ['api-1', 'api-2', 'api-3'];

/** Starts it all; `close` ends it all. */
export async function startStack() {
  const compose = parse(readFileSync(join(ROOT, 'docker-compose.yml'), 'utf8'), { merge: true });
  const programs = new Programs();
  const directory = mkdtempSync(join(tmpdir(), 'petstore-trial-'));
  // With the durability of production: the trial shows who waits for the disk.
  const server = await openTemporaryDatabase({ settings: { fsync: 'on', full_page_writes: 'on' } });
  const close = async () => {
    await programs.close();
    await server.close();
    rmSync(directory, { recursive: true, force: true });
  };
  try {
    const ports = await portsOfAll();
    const superuser = (database) => urlOf(server, 'postgres', database);
    const password = await makeRoles(superuser('postgres'));
    const ownerUrl = urlOf(server, 'petstore_owner', 'petstore_trial');
    for (const command of ['migrate', 'roles']) await runCommandLine(programs, ownerUrl, ['db', command]);

    const pooler = { programs, directory, socketDirectory: server.socketDirectory, password };
    let pgbouncer = await startPgBouncer(pooler, ports.pgbouncer);
    const databaseUrl = `postgresql://petstore_api:${password}@127.0.0.1:${ports.pgbouncer}/petstore`;
    const start = (name) => startReplica({ programs, compose, name, ports, databaseUrl });
    const replicas = new Map();
    for (const name of REPLICAS) replicas.set(name, await start(name));
    await startHaproxy({ programs, compose, ports });
    const isUp = (name) => isUpAtHaproxy(ports, name);
    for (const name of REPLICAS) await until(`${name} is up at HAProxy`, () => isUp(name));

    return {
      origin: `http://127.0.0.1:${ports.haproxy}`,
      database: new pg.Pool({ connectionString: superuser('petstore_trial'), max: 4 }),
      databaseUrl,
      /** Where Prometheus finds what docker-compose.yml calls by name, by its job. */
      targets: {
        petstore: REPLICAS.map((name) => `127.0.0.1:${ports.replicas.get(name).management}`),
        haproxy: [`127.0.0.1:${ports.haproxyMetrics}`],
      },
      programs,
      directory,
      metricsOf: async (name) =>
        (await fetch(`http://127.0.0.1:${ports.replicas.get(name).management}/metrics`)).text(),
      restartReplica: async (name) => {
        const { child, ended } = replicas.get(name);
        child.kill('SIGTERM');
        const code = await ended;
        replicas.set(name, await start(name));
        await until(`${name} is up at HAProxy`, () => isUp(name));
        return code;
      },
      killPgBouncer: async () => {
        pgbouncer.child.kill('SIGKILL');
        await pgbouncer.ended;
      },
      startPgBouncer: async () => {
        pgbouncer = await startPgBouncer(pooler, ports.pgbouncer);
      },
      /** The last thing of a trial: they do not come back. */
      killReplicas: async () => {
        for (const { child, ended } of replicas.values()) {
          child.kill('SIGKILL');
          await ended;
        }
      },
      isUp,
      close,
    };
  } catch (error) {
    await close();
    throw error;
  }
}

async function portsOfAll() {
  const [haproxy, haproxyMetrics, pgbouncer, ...rest] = await freePorts(3 + 2 * REPLICAS.length);
  const replicas = new Map(
    REPLICAS.map((name, i) => [name, { public: rest[2 * i], management: rest[2 * i + 1] }]),
  );
  return { haproxy, haproxyMetrics, pgbouncer, replicas };
}

function urlOf(server, role, database) {
  const url = new URL(server.url);
  url.username = role;
  url.pathname = database;
  return url.toString();
}

/** What deploy/postgres/roles.sh does with psql, which is not on every machine. */
async function makeRoles(url) {
  const password = randomBytes(24).toString('hex');
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  try {
    await client.query(`create role petstore_service nologin; create role petstore_operator nologin`);
    await client.query(`create role petstore_owner login`);
    await client.query(`create role petstore_api login password '${password}' in role petstore_service`);
    await client.query(`alter role petstore_api set statement_timeout = '600ms'`);
    await client.query(`alter role petstore_api set lock_timeout = '400ms'`);
    await client.query(`alter role petstore_api set idle_in_transaction_session_timeout = '5s'`);
    await client.query(`create database petstore_trial owner petstore_owner`);
    for (const [name, value] of Object.entries(SESSION_SETTINGS)) {
      await client.query(`alter role petstore_api in database petstore_trial set ${name} = '${value}'`);
    }
  } finally {
    await client.end();
  }
  return password;
}
