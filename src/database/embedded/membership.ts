import { setTimeout as delay } from 'node:timers/promises';
import type { Client } from 'pg';
import { superuserClient } from './database.js';
import { EmbeddedPostgresError } from './embedded-postgres.error.js';
import { messageOf } from '../describe-fault.js';
import { codeOf } from './fault.js';
import { enter, leave, type Purpose } from './ownership.js';
import { findPostmaster } from './postmaster-file.js';
import { POLL_MS, START_MAX_MS, startServer, stopServer, type Server } from './server.js';

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
    log('lost the embedded PostgreSQL; starting it again');
    while (!signal.aborted) {
      try {
        client = await join(server, purpose, signal);
        watch();
        log('the embedded PostgreSQL is back');
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
        `the embedded PostgreSQL in ${root} cannot be reached: ${messageOf(fault)}; look into ${logFile}`,
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
    if (admittance === 'stopping') return new Error('its last user is stopping it');
    await part(server, client);
    return new EmbeddedPostgresError(
      `another service is using the data directory ${server.directory.root}: stop that one first, or give this one a DATA_DIR of its own`,
    );
  } catch (fault) {
    return fault;
  }
}

async function part(server: Server, client: Client): Promise<void> {
  try {
    if (!(await leave(client)) || (await stopServer(server))) return;
    throw new Error(`the embedded PostgreSQL in ${server.directory.root} is still shutting down`);
  } finally {
    await client.end();
  }
}

/** Nobody listens on the socket. Any other fault comes from a server, or from one that was there a moment ago. */
const isAbsence = (fault: unknown) => ['ENOENT', 'ECONNREFUSED'].includes(codeOf(fault));
