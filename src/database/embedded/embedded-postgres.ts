import { realpathSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import type { Client } from 'pg';
import { classifyDatabaseError, NotSentError } from '../../errors/database-errors.js';
import { DatabaseClient } from '../database-client.js';
import { messageOf } from '../../errors/describe-error.js';
import { type Binaries, findBinaries, packageDirectory } from './binaries.js';
import { ensureCluster, SUPERUSER } from './cluster.js';
import { type DataDirectory, hasCluster, prepareDataDirectory, runDirectoryOf } from './data-directory.js';
import { EmbeddedPostgresError } from './embedded-postgres.error.js';
import {
  endServer,
  findPostmaster,
  POLL_MS,
  type ServerOptions,
  START_MAX_MS,
  startServer,
  stopServer,
} from './server.js';

export interface EmbeddedPostgresOptions {
  /** Created if it does not exist. */
  readonly dataDir: string;
  /** Server settings by name, such as `fsync`; without effect on a server that is already running. */
  readonly settings?: Readonly<Record<string, string>>;
  readonly log: (message: string) => void;
  /** Aborts opening: it rejects with the signal's reason after everything it started has ended. */
  readonly signal?: AbortSignal;
}

export interface EmbeddedPostgres {
  /** URL of the database `petstore`, for `pg` and Prisma's adapter. */
  readonly url: string;
  /** As it was given. */
  readonly dataDir: string;
  /** The directory of the Unix socket, for other databases and for the superuser `postgres`. */
  readonly socketDirectory: string;
  /** Stops the server. Idempotent. */
  close(): Promise<void>;
}

/**
 * The service's role and database. The role is not a superuser, as on hosted PostgreSQL, so that superuser connections stay free
 * for the owner of the server.
 */
const NAME = 'petstore';
const PORT = 5432;

/** Held by the owner of the server, on its connection. */
const OWNER_LOCK = 1_885_696_371;

/** How long the connections of a killed owner may take to end. */
const HANDOVER_MS = 2000;

/**
 * Starts the PostgreSQL of a data directory, or adopts the one that a killed process left, and owns it until `close`.
 *
 * @throws EmbeddedPostgresError in one line, also if another process owns the server
 */
export async function openEmbeddedPostgres(options: EmbeddedPostgresOptions): Promise<EmbeddedPostgres> {
  const { settings = {}, log, signal = new AbortController().signal } = options;
  const dataDir = resolve(options.dataDir);
  try {
    packageDirectory();
    const directory = prepareDataDirectory(dataDir);
    const binaries = await findBinaries(directory.account);
    signal.throwIfAborted();
    await ensureCluster(directory, binaries, { isDurable: settings['fsync'] !== 'off', signal });
    const owner = await takeServer(directory, binaries, { settings, signal });
    let closed: Promise<void> | undefined;
    const endAtExit = (): void => void endServer(directory.cluster);
    process.once('exit', endAtExit);
    owner.once('end', () => {
      process.off('exit', endAtExit);
      if (closed === undefined) log('the embedded PostgreSQL has stopped: restart the service');
    });
    return {
      url: databaseUrl(directory.runDirectory),
      dataDir: options.dataDir,
      socketDirectory: directory.runDirectory,
      close: () => (closed ??= stopServer(directory)),
    };
  } catch (error) {
    if (error instanceof EmbeddedPostgresError || signal.aborted) throw error;
    throw new EmbeddedPostgresError(
      `Cannot use the embedded PostgreSQL in ${dataDir}: ${messageOf(error)}. Fix this, choose another DATA_DIR, or set DATABASE_URL.`,
      { cause: error },
    );
  }
}

/** The URL of the database `petstore` of a data directory; undefined if no server is running there. */
export function runningEmbeddedUrl(dataDir: string): string | undefined {
  if (!hasCluster(dataDir)) return undefined;
  const root = realpathSync(dataDir);
  return findPostmaster(join(root, 'cluster')) === undefined ? undefined : databaseUrl(runDirectoryOf(root));
}

/** Explicit, so that PGPORT and PGSSLMODE have no effect. */
const databaseUrl = (runDirectory: string): string =>
  `postgresql://${NAME}@localhost:${String(PORT)}/${NAME}?host=${encodeURIComponent(runDirectory)}&sslmode=disable`;

/** Takes the running server, or starts one. Waits for a server that is starting or stopping. */
async function takeServer(
  directory: DataDirectory,
  binaries: Binaries,
  options: ServerOptions,
): Promise<Client> {
  const { signal } = options;
  const giveUpAt = performance.now() + START_MAX_MS;
  for (;;) {
    let isOurs =
      findPostmaster(directory.cluster) === undefined && (await startServer(directory, binaries, options));
    const client = superuserClient(directory);
    try {
      await client.connect();
      isOurs = await takeOwnership(client);
      if (!isOurs) throw anotherOwner(directory);
      await createDatabase(client);
      signal.throwIfAborted();
      return client;
    } catch (error) {
      void client.end().catch(() => undefined);
      if (signal.aborted || !isStartingOrStopping(error) || performance.now() > giveUpAt) {
        if (isOurs) await stopServer(directory);
        throw error;
      }
    }
    await delay(POLL_MS);
  }
}

const anotherOwner = ({ root }: DataDirectory): EmbeddedPostgresError =>
  new EmbeddedPostgresError(
    `Another service is using the data directory ${root}. Stop it, or set a different DATA_DIR.`,
  );

const superuserClient = ({ runDirectory }: DataDirectory): Client =>
  new DatabaseClient({
    host: runDirectory,
    port: PORT,
    user: SUPERUSER,
    database: SUPERUSER,
    application_name: 'petstore embedded',
    ssl: false,
    connectionTimeoutMillis: 5000,
    query_timeout: 30_000,
  });

/** False if another service owns the server. */
async function takeOwnership(client: Client): Promise<boolean> {
  const giveUpAt = performance.now() + HANDOVER_MS;
  while (!(await isTrue(client, `pg_try_advisory_lock(${OWNER_LOCK})`))) {
    if (performance.now() > giveUpAt) return false;
    await delay(POLL_MS);
  }
  return true;
}

/** Creates the service's role and database if they do not exist. */
async function createDatabase(client: Client): Promise<void> {
  if (!(await isTrue(client, `exists (select from pg_roles where rolname = '${NAME}')`))) {
    // The commands of `prisma migrate` create databases.
    await client.query(`create role ${NAME} login createdb`);
  }
  if (!(await isTrue(client, `exists (select from pg_database where datname = '${NAME}')`))) {
    // template1 cannot be copied while it has connections.
    await client.query(`create database ${NAME} owner ${NAME} template template0`);
  }
}

async function isTrue(client: Client, expression: string): Promise<boolean> {
  const { rows } = await client.query<{ value: boolean }>(`select ${expression} as value`);
  return rows[0]?.value === true;
}

/** No server listens on the socket, it rejects connections (`cannot_connect_now`), or it closed this one, maybe during connect. */
function isStartingOrStopping(error: unknown): boolean {
  const isNotSent = error instanceof NotSentError;
  const { code } = Object(isNotSent ? error.cause : error) as NodeJS.ErrnoException;
  if (['ENOENT', 'ECONNREFUSED', 'ECONNRESET', '57P03'].includes(code ?? '')) return true;
  return classifyDatabaseError(error) === 'broken' || (isNotSent && code === undefined);
}
