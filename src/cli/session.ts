import pg from 'pg';
import { describeFault } from '../common/errors/describe-fault.js';
import { dataDirectory } from '../embedded/data-directory.js';
import { runningEmbeddedUrl } from '../embedded/embedded-postgres.js';
import { pendingMigrations } from '../database/migrations.js';
import { openSession } from '../database/session-settings.js';
import { CliError } from './cli-error.js';
import type { CliContext } from './context.js';
import type { Row } from './row.js';

/** The one connection of a command. */
export interface Session {
  readonly client: pg.Client;
  readonly url: string;
  readonly isEmbedded: boolean;
}

/** Runs a command on a database with this release's migrations. */
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

/** Runs a command on the configured database, also one that is not migrated. */
export async function withAnyDatabase<Result>(
  context: CliContext,
  work: (session: Session) => Promise<Result>,
): Promise<Result> {
  const url = databaseUrl(context);
  const options = { connectionString: url, application_name: 'petstore cli', types };
  const client = await openSession(options).catch((error: unknown) => {
    const hint = 'Check DATABASE_URL, and that the server is running.';
    throw new CliError(`Cannot reach the database: ${describeFault(error)}`, hint);
  });
  try {
    return await work({ client, url, isEmbedded: context.config().database.url === undefined });
  } finally {
    // The connection may be closed already, which does not change the outcome.
    await client.end().catch(() => undefined);
  }
}

/**
 * The configured database, or the embedded one of a running service.
 *
 * @throws CliError if no service is running
 */
export function databaseUrl(context: CliContext): string {
  const { database } = context.config();
  if (database.url !== undefined) return database.url;
  const dataDir = dataDirectory(database.dataDir);
  const found = runningEmbeddedUrl(dataDir);
  if (found !== undefined) return found;
  throw new CliError(
    `No PostgreSQL is running in ${dataDir}.`,
    'Start the service there (npm start), or set DATA_DIR or DATABASE_URL.',
  );
}

const { INT8, DATE, TIMESTAMPTZ } = pg.types.builtins;

const parseInstant: (text: string) => Date = pg.types.getTypeParser(TIMESTAMPTZ);

/** Values for scripts: int64 exact, dates as text, times as RFC 3339 in UTC (or `infinity`). */
const exactParsers = new Map<number, (text: string) => unknown>([
  [INT8, BigInt],
  [DATE, String],
  [TIMESTAMPTZ, (text) => (text.endsWith('infinity') ? text : parseInstant(text).toISOString())],
]);

const types: pg.CustomTypesConfig = {
  getTypeParser: (oid: number, format?: 'text' | 'binary'): ((text: string) => unknown) =>
    exactParsers.get(oid) ?? pg.types.getTypeParser(oid, format),
};

/** Runs changes in one transaction and names the actor to the audit. */
export async function inTransaction<Result extends Row>(
  client: pg.Client,
  { actor, onCommit }: CliContext,
  work: () => Promise<Result>,
): Promise<Result> {
  await client.query('begin');
  try {
    await client.query(`select set_config('petstore.actor', $1, true)`, [actor]);
    const result = await work();
    await client.query('commit');
    onCommit?.(result);
    return result;
  } catch (error) {
    // A rollback fails only when the connection is lost, which rolls back as well.
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
  if (row === undefined) throw new Error(`no row returned by: ${text}`);
  return row;
}

/** Runs one statement that changes something and returns one row. */
export const changeOne = (context: CliContext, text: string, values: readonly unknown[]): Promise<Row> =>
  withDatabase(context, ({ client }) => inTransaction(client, context, () => queryOne(client, text, values)));
