import { LosslessNumber, parse } from 'lossless-json';
import pg from 'pg';
import { connectionTo } from '../config/database-tls.js';
import { classifyDatabaseError, isReadOnly } from '../errors/database-errors.js';
import { describeError } from '../errors/describe-error.js';
import { dataDirectory } from '../database/embedded/data-directory.js';
import { runningEmbeddedUrl } from '../database/embedded/embedded-postgres.js';
import { pendingMigrations } from '../database/migrations.js';
import { beginTransaction, closeSession, openSession, rollBack } from '../database/session-settings.js';
import { CliError, UnknownOutcomeError } from './cli-error.js';
import type { Row } from '../database/statement.js';
import type { CliContext } from './context.js';
import { printable } from '../monitoring/text.js';

/** The one connection of a command. */
export interface Session {
  readonly client: pg.Client;
  readonly url: string;
  readonly isEmbedded: boolean;
}

/** Runs a command in a transaction, on a database with this release's migrations. */
export const withDatabase = <Result>(
  context: CliContext,
  work: (session: Session) => Promise<Result>,
): Promise<Result> =>
  withAnyDatabase(context, (session) =>
    inTransaction(session.client, async () => {
      if ((await pendingMigrations(session.client)).length > 0) {
        throw new CliError('The database is not up to date.', 'Run `petstore db migrate` first.');
      }
      return await work(session);
    }),
  );

/** Runs a command on the configured database, even if not migrated. */
export async function withAnyDatabase<Result>(
  context: CliContext,
  work: (session: Session) => Promise<Result>,
): Promise<Result> {
  const url = databaseUrl(context);
  const options = { ...connectionTo(url), application_name: 'petstore cli', types };
  const client = await openSession(options, STATEMENT_TIMEOUT_MS).catch((error: unknown) => {
    const hint = 'Check DATABASE_URL, and that the server is running.';
    throw new CliError(`Cannot reach the database: ${describeError(error)}`, hint);
  });
  try {
    return await work({ client, url, isEmbedded: context.config().database.url === undefined });
  } finally {
    await closeSession(client);
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

const { INT8, DATE, TIMESTAMPTZ, JSONB } = pg.types.builtins;

const parseInstant: (text: string) => Date = pg.types.getTypeParser(TIMESTAMPTZ);

/** RFC 3339 in UTC if representable, else PostgreSQL's format: `infinity`, and years beyond four digits. */
function instantText(text: string): string {
  const instant = parseInstant(text);
  return instant instanceof Date && /^\d{4}-/.test(text) && !text.endsWith('BC')
    ? instant.toISOString()
    : text;
}

/** JSON with all integers exact. */
export const parseExact = (text: string): unknown =>
  parse(text, undefined, (digits) => (/^-?\d+$/.test(digits) ? BigInt(digits) : new LosslessNumber(digits)));

/** Values for scripts: int64 exact, dates as text. */
const exactParsers = new Map<number, (text: string) => unknown>([
  [INT8, BigInt],
  [DATE, String],
  [TIMESTAMPTZ, instantText],
  [JSONB, parseExact],
]);

const types: pg.CustomTypesConfig = {
  getTypeParser: (oid: number, format?: 'text' | 'binary'): ((text: string) => unknown) =>
    exactParsers.get(oid) ?? pg.types.getTypeParser(oid, format),
};

/** A list of a million keys takes a minute. */
const STATEMENT_TIMEOUT_MS = 300_000;

/** For the rows that an operator's open transaction has changed. */
const LOCK_TIMEOUT_MS = 30_000;

/** Runs statements in one transaction with local settings: behind a pooler, others use the connection afterwards. */
export async function inTransaction<Result>(client: pg.Client, work: () => Promise<Result>): Promise<Result> {
  try {
    await beginTransaction(client, STATEMENT_TIMEOUT_MS, LOCK_TIMEOUT_MS);
    const result = await work();
    await client.query('commit');
    return result;
  } catch (error) {
    // A rollback fails only when the connection is lost, which rolls back as well.
    await rollBack(client).catch(() => undefined);
    if (!isReadOnly(error)) throw error;
    const { standby } = await queryOne<{ standby: boolean }>(client, 'select pg_is_in_recovery() as standby');
    const state = standby ? 'is a standby' : 'is read only (default_transaction_read_only)';
    throw new CliError(`This server ${state}, so nothing can be changed.`, 'Connect to the primary.');
  }
}

/** Runs one statement that returns one row. */
export async function queryOne<Result extends Row = Row>(
  client: pg.Client,
  statement: string | pg.QueryConfig,
  values?: unknown[],
): Promise<Result> {
  const { rows } = await client.query<Result>(statement, values);
  const [row] = rows;
  if (row === undefined) throw new Error(`no row returned by: ${JSON.stringify(statement)}`);
  return row;
}

const { INT2, INT4, FLOAT4, FLOAT8, NUMERIC } = pg.types.builtins;
const NUMBER_TYPES: ReadonlySet<number> = new Set([INT2, INT4, INT8, FLOAT4, FLOAT8, NUMERIC]);

/** FETCH counts in int4. */
const FETCHED_MAX = 2_147_483_647;

/** The first rows of a statement, and the names of its numeric columns. */
export async function firstRows(
  client: pg.Client,
  { text, values = [] }: pg.QueryConfig,
  max: number,
): Promise<{ readonly rows: Row[]; readonly numbers: ReadonlySet<string> }> {
  await client.query(`declare listed no scroll cursor for ${text}`, values);
  const { rows, fields } = await client.query<Row>(`fetch ${Math.min(max, FETCHED_MAX)} from listed`);
  await client.query('close listed');
  const numbers = fields.filter(({ dataTypeID }) => NUMBER_TYPES.has(dataTypeID));
  return { rows, numbers: new Set(numbers.map(({ name }) => name)) };
}

/** Rows per fetch when streaming. */
const FETCHED = 1000;

/** Streams the rows of a statement in chunks, so that memory use is constant. One statement per transaction at a time. */
export async function* streamRows<Result extends Row>(
  client: pg.Client,
  { text, values = [] }: pg.QueryConfig,
  areAllWanted = true,
): AsyncGenerator<Result> {
  if (areAllWanted) await client.query('set local cursor_tuple_fraction = 1');
  await client.query(`declare streamed no scroll cursor for ${text}`, values);
  for (let isMore = true; isMore;) {
    const { rows } = await client.query<Result>(`fetch ${FETCHED} from streamed`);
    yield* rows;
    isMore = rows.length === FETCHED;
  }
  await client.query('close streamed');
}

/**
 * Runs changes in one transaction and names the actor for the audit log.
 *
 * @throws UnknownOutcomeError if the connection is lost during commit
 */
export async function changeDatabase<Result extends Row>(
  context: CliContext,
  work: (client: pg.Client) => Promise<Result>,
): Promise<Result> {
  let isCommitting = false;
  const row = await withDatabase(context, async ({ client }) => {
    client.on('notice', ({ severity, message }) => {
      if (severity === 'WARNING') context.printError(`Warning: ${printable(message ?? '')}.\n`);
    });
    await client.query(`select set_config('petstore.actor', $1, true)`, [context.actor]);
    const result = await work(client);
    isCommitting = true;
    context.onCommitting?.();
    return result;
  }).catch((error: unknown) => {
    const isUnknown = ['broken', 'unexpected'].includes(classifyDatabaseError(error));
    throw isCommitting && isUnknown && !(error instanceof CliError) ? new UnknownOutcomeError(error) : error;
  });
  context.onCommit?.(row);
  return row;
}
