import { setTimeout as delay } from 'node:timers/promises';
import type { ClientBase } from 'pg';
import { classifyDatabaseError, isContention } from './database-errors.js';
import type { MigrationFile } from './migration-files.js';
import { createRecordsTable, insertRecord, readRecords } from './migration-records.js';
import { describeFault } from './describe-fault.js';
import { MigrationError } from './migration.error.js';

/** Prisma's command line takes the same lock. */
const ADVISORY_LOCK = 72_707_369;
/**
 * How long a statement of a migration waits for a table or a row at a time. Requests queue up behind it meanwhile, and they
 * are answered 503 when the database does not answer within two seconds.
 */
const TABLE_LOCK_MS = 1_000;
/** Between two attempts: what queued up behind a waiting migration gets through, and a start is not held up for long. */
const PAUSE_MS = 200;

/**
 * Applies one migration and records it, in one transaction. False: another process had applied it meanwhile.
 *
 * The record is part of the transaction, so a migration that fails, or whose process is killed, leaves nothing, and
 * the next start simply tries again; nobody has to resolve it by hand, and Prisma's command line finds it pending.
 *
 * The advisory lock belongs to the transaction too. A session's lock would outlive its owner behind PgBouncer.
 * @throws MigrationError when it fails or does not get its locks within `lockTimeoutMs`
 */
export async function applyMigration(
  client: ClientBase,
  migration: MigrationFile,
  lockTimeoutMs: number,
): Promise<boolean> {
  const endsAtMs = performance.now() + lockTimeoutMs;
  for (;;) {
    const outcome = await attempt(client, migration, lockTimeoutMs);
    if (typeof outcome === 'boolean') return outcome;
    if (performance.now() >= endsAtMs) throw outcome;
    await delay(Math.min(PAUSE_MS, lockTimeoutMs));
  }
}

/** As `applyMigration`, but returns the error when waiting may help. */
async function attempt(
  client: ClientBase,
  migration: MigrationFile,
  lockTimeoutMs: number,
): Promise<boolean | MigrationError> {
  try {
    // Said because a role may have other defaults; a snapshot from before the lock would not show what others applied.
    await client.query('begin isolation level read committed read write');
    const outcome = await applyUnlessOccupied(client, migration, lockTimeoutMs);
    await client.query('commit');
    return outcome;
  } catch (fault) {
    // A connection that is gone has rolled back already.
    await client.query('rollback').catch(() => undefined);
    if (isContention(fault)) return blocked(fault, migration, lockTimeoutMs);
    throw fault instanceof MigrationError ? fault : failed(fault, migration);
  }
}

async function applyUnlessOccupied(
  client: ClientBase,
  migration: MigrationFile,
  lockTimeoutMs: number,
): Promise<boolean | MigrationError> {
  // Asked first without the lock, so that replicas that waited for it are done together and not one by one.
  if ((await stateOf(client, migration)) === 'applied') return false;
  if (!(await tryLock(client))) return occupied(migration, lockTimeoutMs);
  const state = await stateOf(client, migration);
  if (state === 'applied') return false;
  if (state === 'failed') throw unresolved(migration);
  await prepareTransaction(client, Math.min(TABLE_LOCK_MS, lockTimeoutMs));
  await createRecordsTable(client);
  await run(client, migration);
  await insertRecord(client, migration);
  return true;
}

async function run(client: ClientBase, migration: MigrationFile): Promise<void> {
  const transaction = await transactionId(client);
  await client.query(migration.sql);
  if ((await transactionId(client)) !== transaction) throw leftTransaction(migration);
}

/** Tried, not waited for: a waiting statement holds a snapshot, for which others would have to wait in turn. */
async function tryLock(client: ClientBase): Promise<boolean> {
  const { rows } = await client.query<{ locked: boolean }>(
    `select pg_try_advisory_xact_lock(${String(ADVISORY_LOCK)}) as locked`,
  );
  return rows[0]?.locked === true;
}

async function stateOf(
  client: ClientBase,
  migration: MigrationFile,
): Promise<'applied' | 'failed' | undefined> {
  const records = await readRecords(client);
  return records.find(({ name }) => name === migration.name)?.state;
}

/** A migration may take long, whatever the role is told of statements, and its unqualified names are in `public`. */
async function prepareTransaction(client: ClientBase, tableLockMs: number): Promise<void> {
  // Asked of the catalogue, because transaction_timeout does not exist before PostgreSQL 17.
  await client.query(
    `select set_config(name, '0', true) from pg_settings
     where name in ('statement_timeout', 'transaction_timeout', 'idle_in_transaction_session_timeout')`,
  );
  await client.query(`set local lock_timeout = ${String(tableLockMs)}`);
  await client.query('set local search_path = public');
}

/** A migration that ends its transaction would lose the lock, and could be recorded without its effects. */
async function transactionId(client: ClientBase): Promise<string | undefined> {
  const { rows } = await client.query<{ id: string }>('select pg_current_xact_id()::text as id');
  return rows[0]?.id;
}

function failed(fault: unknown, migration: MigrationFile): MigrationError {
  const { name, sql } = migration;
  const isBroken = classifyDatabaseError(fault) === 'broken';
  const end = isBroken
    ? 'lost its connection, and is there whole or not at all'
    : 'failed and was rolled back';
  return new MigrationError(`Migration ${name} ${end}: ${describeFault(fault, sql)}`, name);
}

function leftTransaction({ name }: MigrationFile): MigrationError {
  return new MigrationError(
    `Migration ${name} ends the transaction that it runs in: remove its own begin, commit and rollback. What it did before may be in the database.`,
    name,
  );
}

function blocked(fault: unknown, migration: MigrationFile, lockTimeoutMs: number): MigrationError {
  const { name } = migration;
  return new MigrationError(
    `Migration ${name} was rolled back, because another transaction held what it needs for ${String(lockTimeoutMs)} ms: ${describeFault(fault)}`,
    name,
  );
}

function occupied({ name }: MigrationFile, lockTimeoutMs: number): MigrationError {
  return new MigrationError(
    `Migration ${name} was not begun, because another process held the migration lock for ${String(lockTimeoutMs)} ms (pg_locks: advisory ${String(ADVISORY_LOCK)}).`,
    name,
  );
}

function unresolved({ name }: MigrationFile): MigrationError {
  return new MigrationError(
    `Migration ${name} failed under Prisma's command line and may be half applied: mend the database, then run "npm run prisma -- migrate resolve" with --rolled-back or --applied ${name}.`,
    name,
  );
}
