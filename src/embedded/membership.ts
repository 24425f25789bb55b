import { setTimeout as delay } from 'node:timers/promises';
import { Client } from 'pg';
import { messageOf } from '../common/errors/describe-fault.js';
import { SUPERUSER } from './cluster.js';
import { codeOf, EmbeddedPostgresError } from './embedded-postgres.error.js';
import { findPostmaster, POLL_MS, type Server, START_MAX_MS, startServer, stopServer } from './server.js';

/** A service is alone on its data directory; any number of tools works beside it. */
export type Purpose = 'service' | 'tool';

/**
 * Who uses a server is kept by the server itself, as advisory locks of sessions, so it is true whatever happens: a
 * process that is killed holds nothing any more, and no file can tell otherwise. Everybody holds `USERS` shared; who
 * gets it exclusively is alone, and stops the server while nobody new comes in.
 * Advisory locks count per database: these live in `postgres`, away from the ones of the service.
 */
const USERS = '1885697139, 1';
const SERVICE = '1885697139, 2';
const SET_UP = '1885697139, 3';

/** How long the next service waits for the one before to be gone: a supervisor starts them without a gap. */
const HANDOVER_MS = 1_000;

/** What became of an attempt to be a user of the server. */
export type Admittance = 'admitted' | 'stopping' | 'occupied';

/** Makes the session one of the server's users. `occupied` leaves it one, though not the service: it has to `leave`. */
export async function enter(client: Client, purpose: Purpose): Promise<Admittance> {
  if (!(await ask(client, `pg_try_advisory_lock_shared(${USERS})`))) return 'stopping';
  if (purpose === 'tool') return 'admitted';
  const giveUp = performance.now() + HANDOVER_MS;
  while (!(await ask(client, `pg_try_advisory_lock(${SERVICE})`))) {
    if (performance.now() > giveUp) return 'occupied';
    await delay(POLL_MS);
  }
  return 'admitted';
}

/** Gives everything back. True: the session was the last user, nobody else can become one, and it has to stop the server. */
export async function leave(client: Client): Promise<boolean> {
  // First release, then try: of two that leave together, the later one finds itself alone.
  await client.query('select pg_advisory_unlock_all()');
  return ask(client, `pg_try_advisory_lock(${USERS})`);
}

/** Runs what must not be done twice at a time on one server. */
export async function oneAtATime<T>(client: Client, work: () => Promise<T>): Promise<T> {
  await client.query(`select pg_advisory_lock(${SET_UP})`);
  try {
    return await work();
  } finally {
    await client.query(`select pg_advisory_unlock(${SET_UP})`);
  }
}

async function ask(client: Client, question: string): Promise<boolean> {
  const { rows } = await client.query<{ answer: boolean }>(`select ${question} as answer`);
  return rows[0]?.answer === true;
}

/**
 * The service's role and its database. Not the superuser, as no hosted PostgreSQL gives that either; time-outs set on
 * the role leave the embedded server's own connection alone; and the connections kept for superusers stay free for it.
 */
const NAME = 'petstore';
const PORT = 5432;

/** A connection of the embedded server's own, not yet connected. Its loss is an event, never an uncaught error. */
export function superuserClient(runDirectory: string): Client {
  const client = new Client({
    host: runDirectory,
    port: PORT,
    user: SUPERUSER,
    database: SUPERUSER,
    application_name: 'petstore embedded',
    ssl: false,
    connectionTimeoutMillis: 5_000,
    query_timeout: 30_000,
  });
  // The `end` that follows is what counts; without a listener an `error` ends the process.
  client.on('error', () => undefined);
  return client;
}

/** The URL of the service's database. It leaves nothing to PGPORT and PGSSLMODE of whoever uses it. */
export function databaseUrl(runDirectory: string): string {
  return `postgresql://${NAME}@localhost:${String(PORT)}/${NAME}?host=${encodeURIComponent(runDirectory)}&sslmode=disable`;
}

/** Creates the service's role and database unless they exist. True: the database is new. */
export function ensureDatabase(client: Client): Promise<boolean> {
  return oneAtATime(client, async () => {
    const roles = await client.query('select from pg_roles where rolname = $1', [NAME]);
    // Prisma's development commands make a database of their own to compare with.
    if (roles.rowCount === 0) await client.query(`create role ${NAME} login createdb`);
    const databases = await client.query('select from pg_database where datname = $1', [NAME]);
    if (databases.rowCount !== 0) return false;
    // template1 would be refused while anybody is connected to it.
    await client.query(`create database ${NAME} owner ${NAME} template template0`);
    return true;
  });
}

/** Being a user of the embedded server, until `close`. */
export interface Membership {
  /** The connection whose session is the membership at first; a lost one is replaced, unseen. */
  readonly client: Client;
  /** Ends the membership, and the server when nobody else uses it. Never fails. */
  close(): Promise<void>;
}

/** How long a server may neither let us in nor be gone, as while it shuts down, before the opener gives up. */
const PATIENCE_MS = 15_000;
/** Between attempts to be a user again after the server could not be started. */
const RETRY_MS = 1_000;

/**
 * Becomes a user of the server, of the running one or of one it starts, and stays it: when the server dies, it is
 * started again, and the pools on its socket find it where it was.
 * @throws EmbeddedPostgresError when a service runs already, the server does not start, or it stays unreachable
 */
export async function holdMembership(
  server: Server,
  purpose: Purpose,
  log: (message: string) => void,
): Promise<Membership> {
  const closing = new AbortController();
  const { signal } = closing;
  let client = await join(server, purpose, signal);
  let recovery = Promise.resolve();

  const watch = () => {
    client.once('end', () => {
      if (!signal.aborted) recovery = recover();
    });
  };
  const recover = async () => {
    log('the embedded PostgreSQL stopped; restarting it');
    while (!signal.aborted) {
      try {
        client = await join(server, purpose, signal);
        watch();
        log('the embedded PostgreSQL is running again');
        return;
      } catch (fault) {
        if (!signal.aborted) log(messageOf(fault));
        await delay(RETRY_MS, undefined, { signal }).catch(() => undefined);
      }
    }
  };

  watch();
  return {
    client,
    close: async () => {
      closing.abort();
      await recovery;
      await part(server, client).catch((fault: unknown) => log(messageOf(fault)));
    },
  };
}

/** Gives up only where waiting cannot help; a server on its way up or down is asked again. */
async function join(server: Server, purpose: Purpose, signal: AbortSignal): Promise<Client> {
  const { root, cluster, logFile, runDirectory } = server.directory;
  const giveUp = performance.now() + START_MAX_MS;
  let patienceEnds = performance.now() + PATIENCE_MS;
  for (;;) {
    const client = superuserClient(runDirectory);
    const fault = await admit(server, client, purpose);
    if (fault === undefined) return client;
    void client.end().catch(() => undefined);
    if (fault instanceof EmbeddedPostgresError) throw fault;
    signal.throwIfAborted();
    const started = isAbsence(fault) && (await startServer(server));
    const now = performance.now();
    if (started || findPostmaster(cluster)?.status === 'starting') patienceEnds = now + PATIENCE_MS;
    if (now > Math.min(patienceEnds, giveUp)) {
      throw new EmbeddedPostgresError(
        `Cannot reach the embedded PostgreSQL in ${root}: ${messageOf(fault)}. See ${logFile}.`,
      );
    }
    await delay(POLL_MS);
  }
}

/** Undefined: the client's session is now a user of the server. Else why not. */
async function admit(server: Server, client: Client, purpose: Purpose): Promise<unknown> {
  try {
    await client.connect();
    const admittance = await enter(client, purpose);
    if (admittance === 'admitted') return undefined;
    if (admittance === 'stopping') return new Error('it is stopping');
    await part(server, client);
    return new EmbeddedPostgresError(
      `Another service is using the data directory ${server.directory.root}. Stop it, or set a different DATA_DIR.`,
    );
  } catch (fault) {
    return fault;
  }
}

async function part(server: Server, client: Client): Promise<void> {
  try {
    if (!(await leave(client)) || (await stopServer(server))) return;
    throw new Error(`The embedded PostgreSQL in ${server.directory.root} is still shutting down.`);
  } finally {
    await client.end();
  }
}

/** Nobody listens on the socket. Any other fault comes from a server, or from one that was there a moment ago. */
const isAbsence = (fault: unknown) => ['ENOENT', 'ECONNREFUSED'].includes(codeOf(fault));
