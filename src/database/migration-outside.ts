import { type Client, escapeIdentifier } from 'pg';
import type { MigrationFile } from './migration-files.js';
import { MigrationError } from './migration.error.js';
import { readSql, type SqlStatement } from './sql-text.js';

export type OpenConnection = () => Promise<Client>;

/** The first line of a migration that cannot run in a transaction, as `create index concurrently`, or that has many. */
const DIRECTIVE = /^-- migrate: outside a transaction\r?\n/;

export const runsOutside = ({ sql }: Pick<MigrationFile, 'sql'>): boolean => DIRECTIVE.test(sql);

/**
 * Whether others may read, write and lock rows while it waits, so that it may wait for long: true of the concurrent work on
 * indexes, which lasts hours and would have to begin anew. Anything else may keep others waiting meanwhile: a `do` block holds
 * the rows of a batch.
 */
export function waitsAlone({ sql }: Pick<MigrationFile, 'sql'>): boolean {
  const [first = '', ...rest] = (readSql(sql).statements[0]?.tokens ?? []).map(({ text }) => text);
  return ['create', 'drop', 'reindex'].includes(first) && rest.includes('concurrently');
}

/**
 * Runs a migration of one statement on a connection of its own, outside of any transaction, while the caller's transaction
 * keeps the migration lock. What it did stays when it fails, and when it is not recorded in the end it runs again: so the
 * statement has to be one that may be repeated, with `if not exists`.
 *
 * A pooler that shares connections among transactions (PgBouncer in transaction mode) may run it with another's settings: then
 * migrate by a URL that leads to the server itself.
 */
export async function runOutside(
  migration: MigrationFile,
  openAnother: OpenConnection,
  lockTimeoutMs: number,
): Promise<void> {
  const [statement, ...others] = readSql(migration.sql).statements;
  if (statement === undefined || others.length > 0) throw notOne(migration);
  const worker = await openAnother();
  try {
    await prepareSession(worker, lockTimeoutMs);
    // What is left of an attempt whose process ended.
    await dropInvalidIndex(worker, statement);
    await worker.query(migration.sql).catch(async (fault: unknown) => {
      await dropInvalidIndex(worker, statement).catch(() => undefined);
      throw fault;
    });
  } finally {
    // It may be a pooler's connection, which others get after us.
    await worker.query('reset all').catch(() => undefined);
    await worker.end().catch(() => undefined);
  }
}

async function prepareSession(worker: Client, lockTimeoutMs: number): Promise<void> {
  await worker.query(
    `select set_config(name, '0', false) from pg_settings where name in ('statement_timeout', 'transaction_timeout')`,
  );
  await worker.query(`set lock_timeout = ${String(lockTimeoutMs)}`);
  await worker.query('set search_path = public');
}

/**
 * A concurrent build that failed leaves an index that costs every writer, is never read, and whose name makes `if not exists`
 * pass over the next attempt.
 */
async function dropInvalidIndex(worker: Client, statement: SqlStatement): Promise<void> {
  const name = builtIndex(statement);
  if (name === undefined) return;
  const index = escapeIdentifier(name);
  const { rowCount } = await worker.query(
    'select from pg_index where indexrelid = to_regclass($1) and not indisvalid',
    [index],
  );
  if (rowCount === 1) await worker.query(`drop index concurrently ${index}`);
}

function builtIndex({ tokens }: SqlStatement): string | undefined {
  const [first, ...rest] = tokens.map(({ text }) => text).filter((text) => text !== 'unique');
  const head = [first, ...rest.slice(0, 5)].join(' ');
  return head === 'create index concurrently if not exists' ? rest[5] : undefined;
}

function notOne({ name }: MigrationFile): MigrationError {
  return new MigrationError(
    `Migration ${name} runs outside a transaction, and has to be one statement: of several, some could be there without the others.`,
    name,
  );
}
