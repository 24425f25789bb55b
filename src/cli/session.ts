import pg from 'pg';
import { describeFault } from '../errors/describe-fault.js';
import { hasCluster } from '../embedded/cluster.js';
import { openEmbeddedPostgres } from '../embedded/embedded-postgres.js';
import { pendingMigrations } from '../prisma/migrations.js';
import { prepareSession } from '../prisma/session-settings.js';
import { CliError } from './cli-error.js';
import type { CliContext } from './context.js';
import type { Row } from './output.js';

/** The one connection of a command. */
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

/** Runs a command on the configured database, whatever its schema. */
export async function withAnyDatabase<Result>(
  context: CliContext,
  work: (session: Session) => Promise<Result>,
): Promise<Result> {
  const { url, dataDir } = context.config().database;
  // A command in another directory than the service's would make an empty database of its own.
  if (url === undefined && !hasCluster(dataDir)) {
    throw new CliError(
      `There is no database in ${dataDir}.`,
      "Run it in the service's directory, or set DATA_DIR or DATABASE_URL; `petstore db migrate` makes a new database.",
    );
  }
  return await withDatabaseMade(context, work);
}

/** The same; an embedded database that does not exist is made. */
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
      // Only here it is known that the error is the database's: a connection that is lost during a write is a broken
      // pipe, as is the output when its reader has gone.
      if (error !== lost) throw error;
      throw new CliError(`The connection to the database was lost: ${describeFault(error)}`);
    } finally {
      stopListening();
      // The connection may be gone already, which does not change the outcome.
      await client.end().catch(() => undefined);
    }
  } finally {
    await server.close();
  }
}

const { INT8, DATE, TIMESTAMPTZ } = pg.types.builtins;

const parseInstant: (text: string) => Date = pg.types.getTypeParser(TIMESTAMPTZ);

/** Values as scripts want them: int64 exact, days as days, instants as RFC 3339 in UTC (or `infinity`). */
const exactParsers = new Map<number, (text: string) => unknown>([
  [INT8, BigInt],
  [DATE, String],
  [TIMESTAMPTZ, (text) => (text.endsWith('infinity') ? text : parseInstant(text).toISOString())],
]);

const types: pg.CustomTypesConfig = {
  getTypeParser: (oid: number, format?: 'text' | 'binary'): ((text: string) => unknown) =>
    exactParsers.get(oid) ?? pg.types.getTypeParser(oid, format),
};

/** @throws CliError */
export async function connect(url: string): Promise<pg.Client> {
  const client = new pg.Client({
    connectionString: url,
    application_name: 'petstore cli',
    connectionTimeoutMillis: CONNECT_TIMEOUT_MS,
    types,
  });
  // A lost connection fails the statement in flight; without a listener it would end the process, too.
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

/** Cancels the statement in flight, so that the command ends by itself, with everything rolled back. */
async function cancel(
  url: string,
  { processID }: pg.Client & { readonly processID?: number },
): Promise<void> {
  const other = await connect(url).catch(() => undefined);
  await other?.query('select pg_cancel_backend($1)', [processID]).catch(() => undefined);
  await other?.end().catch(() => undefined);
}

/** Names the actor to the audit, until the transaction ends. */
export const actorSetting = (actor: string): string =>
  `select set_config('petstore.actor', ${pg.escapeLiteral(actor)}, true)`;

/** Runs changes in one transaction, in the name of the actor. */
export async function inTransaction<Result>(
  client: pg.Client,
  { actor }: CliContext,
  work: () => Promise<Result>,
): Promise<Result> {
  await client.query('begin');
  try {
    await client.query(actorSetting(actor));
    const result = await work();
    await client.query('commit');
    return result;
  } catch (error) {
    // A rollback fails only when the connection is lost, which undoes everything as well.
    await client.query('rollback').catch(() => undefined);
    throw error;
  }
}

/** Runs one statement that returns one row. */
export async function queryOne<Result extends Row = Row>(
  client: pg.Client,
  text: string,
  values: readonly unknown[] = [],
): Promise<Result> {
  const { rows } = await client.query<Result>(text, [...values]);
  const [row] = rows;
  if (row === undefined) throw new Error(`no row came of: ${text}`);
  return row;
}

/** Runs one statement that changes something and returns one row. */
export const changeOne = (context: CliContext, text: string, values: readonly unknown[]): Promise<Row> =>
  withDatabase(context, ({ client }) => inTransaction(client, context, () => queryOne(client, text, values)));
