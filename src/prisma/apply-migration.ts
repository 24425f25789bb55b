import { setTimeout as delay } from 'node:timers/promises';
import type { ClientBase } from 'pg';
import { classifyDatabaseError, isContention } from '../common/errors/database-errors.js';
import { describeFault } from '../common/errors/describe-fault.js';
import { MigrationError, type MigrationFile } from './migration-files.js';
import { CREATE_RECORDS_TABLE, INSERT_RECORD, readRecords } from './migration-records.js';

/** Prisma's command line takes the same lock. */
const ADVISORY_LOCK = 72_707_369;
/**
 * How long a statement of a migration waits for a table or a row at a time. Requests queue up behind it meanwhile, and fail
 * with 503 after two seconds.
 */
const TABLE_LOCK_MS = 1_000;
/** Between two attempts: requests that queued up behind a waiting migration get through. */
const PAUSE_MS = 200;

/**
 * Applies one migration and records it, in one transaction. False: another process has applied it meanwhile.
 *
 * A migration that fails, or whose process is killed, leaves nothing and no record, so the next start tries it again and
 * Prisma's command line finds it pending. The advisory lock belongs to the transaction too: a session's lock would
 * outlive its owner behind PgBouncer.
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
    // Explicit, because a role may have other defaults. A snapshot from before the lock would not contain others' records.
    await client.query('begin isolation level read committed read write');
    const outcome = await applyIfPending(client, migration, lockTimeoutMs);
    await client.query('commit');
    return outcome;
  } catch (error) {
    // A lost connection has rolled back already.
    await client.query('rollback').catch(() => undefined);
    if (error instanceof MigrationError) throw error;
    if (isContention(error)) {
      return errorOf(
        migration,
        `was rolled back, because another transaction held a lock that it needs for ${String(lockTimeoutMs)} ms: ${describeFault(error)}`,
      );
    }
    const isBroken = classifyDatabaseError(error) === 'broken';
    const outcome = isBroken
      ? 'lost its connection; it is applied completely or not at all'
      : 'failed and was rolled back';
    throw errorOf(migration, `${outcome}: ${describeFault(error, migration.sql)}`);
  }
}

async function applyIfPending(
  client: ClientBase,
  migration: MigrationFile,
  lockTimeoutMs: number,
): Promise<boolean | MigrationError> {
  const { name, sql, checksum } = migration;
  // Tried, not waited for: a waiting statement would hold a snapshot, and delay others.
  const { rows } = await client.query<{ locked: boolean; transaction: string }>(
    `select pg_try_advisory_xact_lock(${String(ADVISORY_LOCK)}) as locked, pg_current_xact_id()::text as transaction`,
  );
  // Read also without the lock, so that waiting replicas finish together and not one by one.
  const record = (await readRecords(client)).find((one) => one.name === name);
  if (record?.state === 'applied') return false;
  const [lock] = rows;
  if (lock?.locked !== true) {
    return errorOf(
      migration,
      `was not started, because another process held the migration lock for ${String(lockTimeoutMs)} ms (pg_locks: advisory ${String(ADVISORY_LOCK)}).`,
    );
  }
  if (record?.state === 'failed') {
    throw errorOf(
      migration,
      `failed under Prisma's command line and may be partly applied. Repair the database, then run "update _prisma_migrations set rolled_back_at = now() where migration_name = '${name}'" to apply it again, or set finished_at if all of it is applied.`,
    );
  }
  await prepareTransaction(client, Math.min(TABLE_LOCK_MS, lockTimeoutMs));
  await client.query(sql);
  await client.query(CREATE_RECORDS_TABLE);
  const { rowCount } = await client.query(INSERT_RECORD, [name, checksum, lock.transaction]);
  if (rowCount === 1) return true;
  throw errorOf(
    migration,
    'ends the transaction that it runs in. Remove begin, commit and rollback from it. Its first part may be applied.',
  );
}

/** A migration may take long, whatever the timeouts of the role, and its unqualified names are in `public`. */
async function prepareTransaction(client: ClientBase, tableLockMs: number): Promise<void> {
  // From the catalog, because transaction_timeout does not exist before PostgreSQL 17.
  await client.query(
    `select set_config(name, '0', true) from pg_settings
     where name in ('statement_timeout', 'transaction_timeout', 'idle_in_transaction_session_timeout')`,
  );
  await client.query(`set local lock_timeout = ${String(tableLockMs)}; set local search_path = public`);
}

const errorOf = ({ name }: MigrationFile, outcome: string): MigrationError =>
  new MigrationError(`Migration ${name} ${outcome}`, name);
