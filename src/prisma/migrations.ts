import { Client, type Pool } from 'pg';
import { applyMigration } from './apply-migration.js';
import { describeFault } from '../common/errors/describe-fault.js';
import {
  isUnchanged,
  listMigrations,
  MigrationError,
  type MigrationFile,
  MIGRATIONS_DIRECTORY,
  readMigrations,
} from './migration-files.js';
import { type MigrationRecord, readRecords } from './migration-records.js';
import { prepareSession, SERVER_ENCODING } from './session-settings.js';

export interface MigrateOptions {
  readonly connectionString: string;
  /** The folder of Prisma's migrations; this release's own by default. */
  readonly directory?: string;
  /** How long a migration waits for its turn and for its tables, in milliseconds. */
  readonly lockTimeoutMs?: number;
  /** Called after each migration that this call applied. */
  readonly onApplied?: (name: string) => void;
  /** Gets what is worth a look but no error of this call. */
  readonly log?: { info(message: string): void; warn(message: string): void };
}

/** Other replicas are done within seconds; a supervisor that restarts this one tries again anyway. */
const LOCK_TIMEOUT_MS = 60_000;
const CONNECT_TIMEOUT_MS = 10_000;

/**
 * Brings the database to this release's schema and returns the names of the migrations it applied. Any number of
 * replicas may call it at once: each migration is applied by one of them, and all of them return when all are applied.
 * A database that is ahead, because a newer release has started already, is left as it is.
 * @throws MigrationError and nothing else
 */
export async function migrate(options: MigrateOptions): Promise<string[]> {
  const { directory = MIGRATIONS_DIRECTORY, lockTimeoutMs = LOCK_TIMEOUT_MS, onApplied, log } = options;
  const migrations = await readMigrations(directory);
  const client = await connect(options.connectionString);
  try {
    await rejectOtherEncodings(client);
    const records = await readRecords(client);
    const applied = appliedNames(records);
    const pending = migrations.filter(({ name }) => !applied.has(name));
    compare(migrations, records, pending, log);
    const names: string[] = [];
    for (const migration of pending) {
      if (!(await applyMigration(client, migration, lockTimeoutMs))) continue;
      names.push(migration.name);
      onApplied?.(migration.name);
    }
    return names;
  } catch (error) {
    if (error instanceof MigrationError) throw error;
    throw new MigrationError(`Cannot migrate the database: ${describeFault(error)}`);
  } finally {
    // The connection may be lost already, and the outcome stands.
    await client.end().catch(() => undefined);
  }
}

/** The names of this release's migrations that are not applied, in their order. */
export async function pendingMigrations(
  database: Pool | Client,
  directory = MIGRATIONS_DIRECTORY,
): Promise<string[]> {
  const names = await listMigrations(directory);
  const applied = appliedNames(await readRecords(database));
  return names.filter((name) => !applied.has(name));
}

const appliedNames = (records: readonly MigrationRecord[]): ReadonlySet<string> =>
  new Set(records.filter(({ state }) => state === 'applied').map(({ name }) => name));

async function connect(connectionString: string): Promise<Client> {
  const client = new Client({
    connectionString,
    application_name: 'petstore migrations',
    connectionTimeoutMillis: CONNECT_TIMEOUT_MS,
  });
  // A lost connection fails the statement under way; without a listener it would end the process as well.
  client.on('error', () => undefined);
  try {
    await client.connect();
    await prepareSession(client);
    return client;
  } catch (error) {
    throw new MigrationError(`Cannot reach the database: ${describeFault(error)}`);
  }
}

/** In another encoding some names of pets cannot be stored; under SQL_ASCII the server counts bytes, not characters. */
async function rejectOtherEncodings(client: Client): Promise<void> {
  const { rows } = await client.query<{ database: string; encoding: string }>(
    `select current_database() as database, current_setting('server_encoding') as encoding`,
  );
  const { database = '', encoding = '' } = rows[0] ?? {};
  if (encoding === SERVER_ENCODING) return;
  throw new MigrationError(
    `The encoding of the database ${database} is ${encoding}, but must be ${SERVER_ENCODING}. Create a database with "create database … template template0 encoding '${SERVER_ENCODING}'".`,
  );
}

/**
 * Reports how the database's history differs from this release's. A newer release has all migrations of this one, so a database
 * with unknown migrations that lacks known ones has another schema.
 */
function compare(
  migrations: readonly MigrationFile[],
  records: readonly MigrationRecord[],
  [missing]: readonly MigrationFile[],
  log: MigrateOptions['log'],
): void {
  const known = new Map(migrations.map((migration) => [migration.name, migration]));
  const unknown = records.filter(({ name }) => !known.has(name)).map(({ name }) => name);
  if (unknown[0] !== undefined && missing !== undefined) {
    throw new MigrationError(
      `The database was migrated by a different set of migrations: it has ${unknown[0]}, which this release does not have, but not ${missing.name}. Use the release that migrated it, or a new database.`,
    );
  }
  for (const { name, checksum, state } of records) {
    const migration = known.get(name);
    if (migration === undefined || state === 'failed' || isUnchanged(migration, checksum)) continue;
    throw new MigrationError(
      `Migration ${name} was edited after it was applied, so the database does not have the change. Restore the file and add a new migration, or use a new database.`,
    );
  }
  if (unknown.length === 0) return;
  log?.info(`The database has migrations of a newer release: ${unknown.join(', ')}.`);
}
