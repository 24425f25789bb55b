import pg from 'pg';
import { hasCluster } from '../database/embedded/cluster.js';
import { openEmbeddedPostgres } from '../database/embedded/embedded-postgres.js';
import { describeFault } from '../database/describe-fault.js';
import { pendingMigrations } from '../database/migrations.js';
import { prepareSession } from '../database/session-settings.js';
import { CliError } from './cli-error.js';
import type { CliContext } from './context.js';
import { exactTypes } from './value-types.js';

/** A command's one connection, and where it leads. */
export interface Session {
  readonly client: pg.Client;
  readonly url: string;
  readonly isEmbedded: boolean;
}

const CONNECT_TIMEOUT_MS = 10_000;

/** Runs a command on a database that has this release's schema. */
export function withDatabase<Result>(
  context: CliContext,
  work: (session: Session) => Promise<Result>,
): Promise<Result> {
  return withAnyDatabase(context, async (session) => {
    if ((await pendingMigrations(session.client)).length > 0) {
      throw new CliError('The database is not up to date.', 'Run `petstore db migrate` first.');
    }
    return await work(session);
  });
}

/** Runs a command on the configured database, whatever is in it, and leaves it again, whatever happens. */
export async function withAnyDatabase<Result>(
  context: CliContext,
  work: (session: Session) => Promise<Result>,
): Promise<Result> {
  const { url, dataDir } = context.config().database;
  // Started in another directory than the service it would look after an empty database of its own.
  if (url === undefined && !hasCluster(dataDir)) {
    throw new CliError(
      `There is no database in ${dataDir}.`,
      "Run it in the service's directory, or set DATA_DIR or DATABASE_URL; `petstore db migrate` makes a new database.",
    );
  }
  return await withDatabaseMade(context, work);
}

/** The same; an embedded database that is not there is made. */
export async function withDatabaseMade<Result>(
  context: CliContext,
  work: (session: Session) => Promise<Result>,
): Promise<Result> {
  const { url, dataDir } = context.config().database;
  const server =
    url === undefined
      ? await openEmbeddedPostgres({ dataDir, purpose: 'tool', log: () => undefined })
      : { url, close: () => Promise.resolve() };
  try {
    const client = await connect(server.url);
    const stopListening = context.onInterrupt(() => void cancel(server.url, client));
    let lost: Error | undefined;
    client.on('error', (error) => (lost = error));
    try {
      return await work({ client, url: server.url, isEmbedded: url === undefined });
    } catch (error) {
      // Said here, where it is known whose error it is: a connection that is lost while it is written to is a broken pipe, as
      // the output is when its reader has seen enough.
      if (error !== lost) throw error;
      throw new CliError(`The connection to the database was lost: ${describeFault(error)}`);
    } finally {
      stopListening();
      // It may be gone already, and the outcome stands.
      await client.end().catch(() => undefined);
    }
  } finally {
    await server.close();
  }
}

/** @throws CliError */
export async function connect(url: string): Promise<pg.Client> {
  const client = new pg.Client({
    connectionString: url,
    application_name: 'petstore cli',
    connectionTimeoutMillis: CONNECT_TIMEOUT_MS,
    types: exactTypes,
  });
  // A lost connection fails the statement under way; without a listener it would end the process besides.
  client.on('error', () => undefined);
  try {
    await client.connect();
    await prepareSession(client);
    return client;
  } catch (error) {
    throw new CliError(
      `The database cannot be reached: ${describeFault(error)}`,
      'Check DATABASE_URL, and that the server runs.',
    );
  }
}

/** Has the server give up the statement under way, so that the command ends by itself, with everything rolled back. */
async function cancel(
  url: string,
  { processID }: pg.Client & { readonly processID?: number },
): Promise<void> {
  const other = await connect(url).catch(() => undefined);
  await other?.query('select pg_cancel_backend($1)', [processID]).catch(() => undefined);
  await other?.end().catch(() => undefined);
}
