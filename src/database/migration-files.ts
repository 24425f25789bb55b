import { createHash } from 'node:crypto';
import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { StacklessError } from '../errors/api-error.js';
import { describeError } from '../errors/describe-error.js';
import type { ClientBase, Pool } from 'pg';

/** One migration of this release. */
export interface MigrationFile {
  /** The name of its folder: migrations are ordered and recorded by it. */
  readonly name: string;
  readonly sql: string;
  /** As Prisma computes it. */
  readonly checksum: string;
}

/** Why the database could not be migrated, in one line. No stack trace: the cause is in SQL or the database. */
export class MigrationError extends StacklessError {
  override readonly name = 'MigrationError';
}

/** Valid from src/database and, compiled, from dist/database. */
export const MIGRATIONS_DIRECTORY = fileURLToPath(new URL('../../prisma/migrations', import.meta.url));

/**
 * The names of this release's migrations, in the order in which they are applied.
 * @throws MigrationError if there are none: a broken installation must not look up to date
 */
export async function listMigrations(directory: string): Promise<string[]> {
  const entries = await readdir(directory, { withFileTypes: true }).catch((error: unknown) => {
    throw new MigrationError(`Cannot read the migrations: ${describeError(error)}`);
  });
  const names = entries.filter((entry) => entry.isDirectory()).map((entry) => entry.name);
  if (names.length === 0) throw new MigrationError(`There are no migrations in ${directory}.`);
  return names.sort();
}

/** This release's migrations, in the order in which they are applied. */
export async function readMigrations(directory: string): Promise<MigrationFile[]> {
  const names = await listMigrations(directory);
  return await Promise.all(
    names.map(async (name) => {
      const sql = await readFile(join(directory, name, 'migration.sql'), 'utf8').catch((error: unknown) => {
        throw new MigrationError(`Cannot read migration ${name}: ${describeError(error)}`);
      });
      return { name, sql, checksum: sha256(sql) };
    }),
  );
}

/** Migrations of an earlier release, folded into some of this one's. */
export interface FoldedMigrations {
  readonly release: string;
  /** This release's migrations that replace them. */
  readonly into: readonly string[];
  /** The checksums by name. Recorded ones may differ: Git changes line endings on some machines. */
  readonly migrations: Readonly<Record<string, string>>;
}

/** Undefined if this folder has no folded migrations. */
export async function readFolded(directory: string): Promise<FoldedMigrations | undefined> {
  try {
    return JSON.parse(await readFile(join(directory, 'folded.json'), 'utf8')) as FoldedMigrations;
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return undefined;
    throw new MigrationError(`Cannot read the folded migrations: ${describeError(error)}`);
  }
}

/** The names of recorded migrations that a release does not know. */
export function unknownMigrations(
  records: ReadonlyMap<string, string>,
  names: readonly string[],
  folded: FoldedMigrations | undefined,
): readonly string[] {
  const known = new Set([...names, ...Object.keys(folded?.migrations ?? {})]);
  return [...records.keys()].filter((name) => !known.has(name));
}

/** Whether a recorded checksum is this migration's. Line endings are ignored: Git changes them on some machines. */
export function isUnchanged({ sql, checksum }: MigrationFile, recorded: string): boolean {
  const unix = sql.replaceAll('\r\n', '\n');
  return [checksum, sha256(unix), sha256(unix.replaceAll('\n', '\r\n'))].includes(recorded);
}

const sha256 = (text: string): string => createHash('sha256').update(text).digest('hex');

/** Prisma's own table, so that its command line and this service agree on what has been applied. */
const TABLE = 'public._prisma_migrations';

const IS_APPLIED = 'finished_at is not null and rolled_back_at is null';

/** The checksums of the applied migrations by name, in their order; none on a database that was never migrated. */
export async function readRecords(database: Pool | ClientBase): Promise<ReadonlyMap<string, string>> {
  const tables = await database.query<{ found: boolean }>(
    `select to_regclass('${TABLE}') is not null as found`,
  );
  if (tables.rows[0]?.found !== true) return new Map();
  const { rows } = await database.query<{ name: string; checksum: string }>(
    `select migration_name as name, checksum from ${TABLE} where ${IS_APPLIED} order by started_at, migration_name`,
  );
  return new Map(rows.map(({ name, checksum }) => [name, checksum]));
}

/** SQL column: the names of the applied migrations. Without the table the statement fails (`isUndefinedTable`). */
export const APPLIED_MIGRATIONS = `array(select migration_name::text from ${TABLE} where ${IS_APPLIED})`;

/** Creates the table as Prisma would. */
export const CREATE_RECORDS_TABLE = `
  create table if not exists ${TABLE} (
    id varchar(36) primary key not null,
    checksum varchar(64) not null,
    finished_at timestamptz,
    migration_name varchar(255) not null,
    logs text,
    rolled_back_at timestamptz,
    started_at timestamptz not null default now(),
    applied_steps_count integer not null default 0)`;

/** Records the migration $1 with the checksum $2 as applied. */
export const INSERT_RECORD = `
  insert into ${TABLE} (id, migration_name, checksum, started_at, finished_at, applied_steps_count)
  values (gen_random_uuid()::text, $1, $2, now(), clock_timestamp(), 1)`;
