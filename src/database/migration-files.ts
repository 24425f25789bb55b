import { createHash } from 'node:crypto';
import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { describeFault } from './describe-fault.js';
import { MigrationError } from './migration.error.js';

/** One migration of this release. */
export interface MigrationFile {
  /** The name of its folder, by which migrations are ordered and known to the database. */
  readonly name: string;
  readonly sql: string;
  /** As Prisma computes it. */
  readonly checksum: string;
}

/** The same from src/database and, compiled, from dist/database. */
export const MIGRATIONS_DIRECTORY = fileURLToPath(new URL('../../prisma/migrations', import.meta.url));

/**
 * The names of this release's migrations, in the order in which they are applied.
 * @throws MigrationError when there are none: an installation without them must not pass for one that is up to date
 */
export async function listMigrations(directory: string): Promise<string[]> {
  const entries = await readdir(directory, { withFileTypes: true }).catch((fault: unknown) => {
    throw new MigrationError(`The migrations cannot be read: ${describeFault(fault)}`);
  });
  const names = entries.filter((entry) => entry.isDirectory()).map((entry) => entry.name);
  if (names.length === 0) throw new MigrationError(`There are no migrations in ${directory}.`);
  return names.sort();
}

/** This release's migrations, in the order in which they are applied. */
export async function readMigrations(directory: string): Promise<MigrationFile[]> {
  const names = await listMigrations(directory);
  return Promise.all(names.map((name) => readMigration(directory, name)));
}

async function readMigration(directory: string, name: string): Promise<MigrationFile> {
  const sql = await readFile(join(directory, name, 'migration.sql'), 'utf8').catch((fault: unknown) => {
    throw new MigrationError(`Migration ${name} cannot be read: ${describeFault(fault)}`, name);
  });
  return { name, sql, checksum: checksumOf(sql) };
}

/** Whether a recorded checksum is this migration's. Line ends do not count, as Git changes them on some machines. */
export function isUnchanged({ sql, checksum }: MigrationFile, recorded: string): boolean {
  const unix = sql.replaceAll('\r\n', '\n');
  return [checksum, checksumOf(unix), checksumOf(unix.replaceAll('\n', '\r\n'))].includes(recorded);
}

function checksumOf(sql: string): string {
  return createHash('sha256').update(sql).digest('hex');
}
