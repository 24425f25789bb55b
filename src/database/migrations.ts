import { Client, type Pool } from 'pg';
import { listMigrations, MIGRATIONS_DIRECTORY, readMigrations, isUnchanged } from './migration-files.js';
import type { MigrationFile } from './migration-files.js';
import { applyMigration } from './migration-transaction.js';
import { readRecords, type MigrationRecord } from './migration-records.js';
import { describeFault } from './describe-fault.js';
import { MigrationError } from './migration.error.js';
import { prepareSession, SERVER_ENCODING } from './session-settings.js';

export interface MigrateOptions {
  readonly connectionString: string;
  /** The folder of Prisma's migrations; this release's own by default. */
  readonly directory?: string;
  /** How long a migration waits for its turn and for its tables, in milliseconds. */
  readonly lockTimeoutMs?: number;
  /** Called after each migration that this call applied. */
  readonly onApplied?: (name: string) => void;
  /** Told of what is worth a look but no fault of this call. */
  readonly log?: MigrationLog;
}

export interface MigrationLog {
  info(message: string): void;
  warn(message: string): void;
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
    const pending = pendingOf(migrations, records);
    rejectOtherHistory(migrations, pending, records);
    if (log !== undefined) compare(migrations, records, log);
    const applied: string[] = [];
    for (const migration of pending) {
      if (!(await applyMigration(client, migration, lockTimeoutMs))) continue;
      applied.push(migration.name);
      onApplied?.(migration.name);
    }
    return applied;
  } catch (fault) {
    if (fault instanceof MigrationError) throw fault;
    throw new MigrationError(`The database cannot be migrated: ${describeFault(fault)}`);
  } finally {
    // The connection may be gone already, and the outcome stands.
    await client.end().catch(() => undefined);
  }
}

/** The names of this release's migrations that the database has not got, in their order. */
export async function pendingMigrations(
  database: Pool | Client,
  directory = MIGRATIONS_DIRECTORY,
): Promise<string[]> {
  const names = await listMigrations(directory);
  const records = await readRecords(database);
  return pendingOf(
    names.map((name) => ({ name })),
    records,
  ).map(({ name }) => name);
}

function pendingOf<Named extends { readonly name: string }>(
  migrations: readonly Named[],
  records: readonly MigrationRecord[],
): Named[] {
  const applied = new Set(records.filter(({ state }) => state === 'applied').map(({ name }) => name));
  return migrations.filter(({ name }) => !applied.has(name));
}

async function connect(connectionString: string): Promise<Client> {
  const client = new Client({
    connectionString,
    application_name: 'petstore migrations',
    connectionTimeoutMillis: CONNECT_TIMEOUT_MS,
  });
  // A lost connection fails the statement under way; without a listener it would end the process besides.
  client.on('error', () => undefined);
  try {
    await client.connect();
    await prepareSession(client);
    return client;
  } catch (fault) {
    throw new MigrationError(`The database cannot be reached: ${describeFault(fault)}`);
  }
}

/** In another encoding some names of pets cannot be stored; under SQL_ASCII the server checks and counts bytes, not characters. */
async function rejectOtherEncodings(client: Client): Promise<void> {
  const { rows } = await client.query<{ database: string; encoding: string }>(
    `select current_database() as database, current_setting('server_encoding') as encoding`,
  );
  const { database = '', encoding = '' } = rows[0] ?? {};
  if (encoding === SERVER_ENCODING) return;
  throw new MigrationError(
    `The database ${database} has the encoding ${encoding}, but it must be ${SERVER_ENCODING}: make one with "create database … template template0 encoding '${SERVER_ENCODING}'".`,
  );
}

/** A newer release has every migration of this one. A database that has others, and not all of these, has another schema. */
function rejectOtherHistory(
  migrations: readonly MigrationFile[],
  [missing]: readonly MigrationFile[],
  records: readonly MigrationRecord[],
): void {
  const unknown = records.find(({ name }) => !migrations.some((migration) => migration.name === name));
  if (missing === undefined || unknown === undefined) return;
  throw new MigrationError(
    `The database was migrated by other migrations than this release's: it has ${unknown.name}, which this release does not know, and not ${missing.name}. Use the release that migrated it, or a new database.`,
  );
}

/** Says what differs between the database's history and this release's, and is no reason to stop. */
function compare(
  migrations: readonly MigrationFile[],
  records: readonly MigrationRecord[],
  log: MigrationLog,
): void {
  const known = new Map(migrations.map((migration) => [migration.name, migration]));
  for (const { name, checksum } of records) {
    const migration = known.get(name);
    if (migration === undefined || isUnchanged(migration, checksum)) continue;
    log.warn(
      `Migration ${name} was edited after it had been applied: the database still has what it said then. Restore the file, and write the change as a new migration.`,
    );
  }
  const unknown = records.filter(({ name }) => !known.has(name)).map(({ name }) => name);
  if (unknown.length === 0) return;
  log.info(`The database is ahead of this release, which does not know: ${unknown.join(', ')}.`);
}
