import { once } from 'node:events';
import { setTimeout as delay } from 'node:timers/promises';
import type { Client, Pool } from 'pg';
import { connectionTo } from '../config/database-tls.js';
import { isContention, isTemporary } from '../errors/database-errors.js';
import { describeError } from '../errors/describe-error.js';
import {
  CREATE_RECORDS_TABLE,
  type FoldedMigrations,
  INSERT_RECORD,
  isUnchanged,
  listMigrations,
  MigrationError,
  type MigrationFile,
  MIGRATIONS_DIRECTORY,
  readFolded,
  readMigrations,
  readRecords,
  unknownMigrations,
} from './migration-files.js';
import { readSchemaObjects, SCHEMA_OBJECTS } from './schema-objects.js';
import { beginTransaction, closeSession, openSession, SERVER_ENCODING } from './session-settings.js';

export interface MigrateOptions {
  readonly connectionString: string;
  /** The folder of Prisma's migrations; this release's own by default. */
  readonly directory?: string;
  /** How long a migration waits for the locks it needs, in milliseconds. */
  readonly lockTimeoutMs?: number;
  /** Called after each migration that this call applied. */
  readonly onApplied?: (name: string) => void;
  readonly log?: { info(message: string): void };
}

/** Other replicas finish within seconds; a supervisor restarts this one anyway. */
const LOCK_TIMEOUT_MS = 60_000;

/** A migration of a large table may take long. */
const STATEMENT_TIMEOUT_MS = 3_600_000;

/** Prisma's command line takes the same lock. */
const ADVISORY_LOCK = 72_707_369;

/**
 * How long a migration statement waits for a table at a time: requests, which wait for 400 ms, queue up behind it
 * meanwhile.
 */
const TABLE_LOCK_MS = 200;

/** Between two attempts, for the requests that queued up. */
const PAUSE_MS = 200;

/**
 * Brings the database to this release's schema and returns the names of the migrations it applied. Any number of replicas may call it
 * at once: one of them applies each migration. A database that a newer release has migrated is left as it is.
 *
 * @throws MigrationError and nothing else
 */
export async function migrate(options: MigrateOptions): Promise<string[]> {
  const { directory = MIGRATIONS_DIRECTORY, lockTimeoutMs = LOCK_TIMEOUT_MS, onApplied, log } = options;
  const migrations = await readMigrations(directory);
  const session = { ...connectionTo(options.connectionString), application_name: 'petstore migrations' };
  const client = await openSession(session, STATEMENT_TIMEOUT_MS).catch((error: unknown) => {
    throw new MigrationError(`Cannot reach the database: ${describeError(error)}`, { cause: error });
  });
  try {
    await rejectOtherEncodings(client);
    const folded = await readFolded(directory);
    const records = await readRecords(client);
    const steps = stepsOf(migrations, folded).filter((step) =>
      recordsOf(step).some(([name]) => !records.has(name)),
    );
    compare(migrations, records, folded, log);
    if (steps.length > 0) await rejectStandby(client);
    const names: string[] = [];
    for (const step of steps) {
      for (const name of await apply(client, step, lockTimeoutMs)) {
        names.push(name);
        onApplied?.(name);
      }
    }
    return names;
  } catch (error) {
    if (error instanceof MigrationError) throw error;
    throw new MigrationError(`Cannot migrate the database: ${describeError(error)}`, { cause: error });
  } finally {
    await closeSession(client);
  }
}

/** How long a start waits between two attempts, and how often it says so. */
const ATTEMPTS_EVERY_MS = 500;
const LOG_INTERVAL_MS = 5000;

/**
 * The same, but waits for a database that is not reachable yet, and retries if the connection is lost: the names are those of the
 * last attempt.
 *
 * @throws MigrationError if waiting does not help, and the reason of the signal when it is aborted
 */
export async function migrateWhenReachable(
  options: MigrateOptions & { readonly log: { warn(message: string): void; info(message: string): void } },
  interrupted: AbortSignal,
): Promise<string[]> {
  const aborted = once(interrupted, 'abort');
  let saidAtMs = -Infinity;
  for (;;) {
    try {
      const names = await Promise.race([migrate(options), aborted]);
      interrupted.throwIfAborted();
      return names;
    } catch (error) {
      if (!(error instanceof MigrationError && isTemporary(error.cause))) throw error;
      if (performance.now() - saidAtMs >= LOG_INTERVAL_MS) {
        saidAtMs = performance.now();
        options.log.warn(`${error.message}; waiting for it`);
      }
    }
    await delay(ATTEMPTS_EVERY_MS, undefined, { signal: interrupted }).catch(() => undefined);
    interrupted.throwIfAborted();
  }
}

/** Migrations applied in one transaction. */
interface Step {
  readonly migrations: readonly MigrationFile[];
  /** The migrations that these stand for. */
  readonly folded?: FoldedMigrations;
}

function stepsOf(
  migrations: readonly MigrationFile[],
  folded: FoldedMigrations | undefined,
): readonly Step[] {
  const isFold = ({ name }: MigrationFile): boolean => folded?.into.includes(name) === true;
  const single = migrations.filter((one) => !isFold(one)).map((one): Step => ({ migrations: [one] }));
  return folded === undefined ? single : [{ migrations: migrations.filter(isFold), folded }, ...single];
}

/** The names and checksums that a step records. */
const recordsOf = ({ migrations, folded }: Step): readonly (readonly [name: string, checksum: string])[] => [
  ...Object.entries(folded?.migrations ?? {}),
  ...migrations.map(({ name, checksum }) => [name, checksum] as const),
];

/** The names of this release's migrations that are not applied, in their order. */
export async function pendingMigrations(
  database: Pool | Client,
  directory = MIGRATIONS_DIRECTORY,
): Promise<string[]> {
  const names = await listMigrations(directory);
  const records = await readRecords(database);
  return names.filter((name) => !records.has(name));
}

/**
 * Applies migrations and records them, in one transaction, so that a failure leaves nothing behind. Retries while other
 * transactions hold locks that they need.
 *
 * @returns the names of those it applied; none if another process did so meanwhile, or the migrations folded into them were applied
 */
async function apply(client: Client, step: Step, lockTimeoutMs: number): Promise<readonly string[]> {
  const name = step.migrations.map((one) => one.name).join(' with ');
  const sql = step.migrations.map((one) => one.sql).join('\n');
  const endsAtMs = performance.now() + lockTimeoutMs;
  for (;;) {
    try {
      return await applyOnce(client, step, sql, lockTimeoutMs);
    } catch (error) {
      // A lost connection has rolled back already.
      await client.query('rollback').catch(() => undefined);
      if (error instanceof MigrationError) throw error;
      if (!isContention(error)) {
        throw new MigrationError(`Migration ${name} failed: ${describeError(error, sql)}`, { cause: error });
      }
      if (performance.now() >= endsAtMs) {
        throw new MigrationError(
          `Migration ${name} was rolled back, because another transaction held a lock that it needs for ${String(lockTimeoutMs)} ms: ${describeError(error)}.${await lockHolders(client, sql)}`,
        );
      }
    }
    await delay(PAUSE_MS);
  }
}

/** Sentences that name the sessions with locks on the tables of a migration. Empty where there are none, or they cannot be seen. */
async function lockHolders(client: Client, sql: string): Promise<string> {
  const { rows } = await client.query<{ holders: string }>(LOCK_HOLDERS, [sql]).catch(() => ({ rows: [] }));
  return rows[0]?.holders ?? '';
}

/** Every lock mode counts: a migration that alters a table conflicts even with readers. */
const LOCK_HOLDERS = `
  select string_agg(format(
    ' Session %s (role %s, program "%s") has locks on %s since %s; to end it: select pg_terminate_backend(%s).',
    pid, usename, application_name, tables, to_char(xact_start at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS"Z"'), pid), '' order by xact_start) as holders
  from (
    select a.pid, a.usename, a.application_name, a.xact_start, string_agg(distinct c.relname, ', ') as tables
    from pg_locks l
    join pg_class c on c.oid = l.relation and c.relkind = 'r' and c.relnamespace = 'public'::regnamespace
    join pg_stat_activity a on a.pid = l.pid
    where l.granted
      and l.database = (select oid from pg_database where datname = current_database())
      and l.pid <> pg_backend_pid()
      and $1 ~ ('\\m' || c.relname || '\\M')
    group by 1, 2, 3, 4
    order by a.xact_start
    limit 3
  ) as holder`;

async function applyOnce(
  client: Client,
  step: Step,
  sql: string,
  lockTimeoutMs: number,
): Promise<readonly string[]> {
  // Explicit, because a role may have other defaults. A snapshot from before the lock would not contain the records of others.
  const begin = 'begin isolation level read committed read write';
  await beginTransaction(client, STATEMENT_TIMEOUT_MS, lockTimeoutMs, begin);
  // Transaction-level: behind PgBouncer, a session lock would outlive its owner.
  await client.query(`select pg_advisory_xact_lock(${String(ADVISORY_LOCK)})`);
  const had = await readForeignRights(client);
  // Before reading: it also makes this transaction see a table that another process has created meanwhile.
  await client.query(CREATE_RECORDS_TABLE);
  const records = await readRecords(client);
  if (records.size === 0) await rejectObjectsOfOthers(client);
  const isOlder = hasFolded(step, records);
  const pending = isOlder ? [] : step.migrations.filter(({ name }) => !records.has(name));
  if (pending.length > 0) {
    await client.query(`set local lock_timeout = ${String(Math.min(TABLE_LOCK_MS, lockTimeoutMs))}`);
    await client.query(sql);
    for (const { object, right, statement } of await readForeignRights(client)) {
      if (statement !== null && had.every((one) => one.object !== object && one.right !== right))
        await client.query(statement);
    }
  }
  for (const [name, checksum] of recordsOf(step))
    if (!records.has(name)) await client.query(INSERT_RECORD, [name, checksum]);
  await client.query('commit');
  return pending.map(({ name }) => name);
}

/**
 * Whether a database has the migrations folded into a step.
 *
 * @throws MigrationError if it has some of them: the release that made them is applying them now, or the database is of one before it
 */
function hasFolded({ folded }: Step, records: ReadonlyMap<string, string>): boolean {
  if (folded === undefined) return false;
  const names = Object.keys(folded.migrations);
  const count = names.filter((name) => records.has(name)).length;
  if (count === 0 || count === names.length) return count > 0;
  throw new MigrationError(
    `The database has ${count} of the ${names.length} migrations of ${folded.release}. Migrate it with release ${folded.release} first, then with this one.`,
  );
}

/** Before the first migration, which would add tables to another program's schema and replace its functions. */
async function rejectObjectsOfOthers(client: Client): Promise<void> {
  const { rows } = await client.query<{ object: string }>(SCHEMA_OBJECTS);
  const ours = new Set((await readSchemaObjects()).map(({ object }) => object));
  // Not the columns and indexes on a table, which come before it.
  const object = rows.map((row) => row.object).find((one) => ours.has(one) && !one.includes(' on '));
  if (object === undefined) return;
  throw new MigrationError(
    `The schema public of this database belongs to another program: it has a ${object}. Nothing was changed. Use a database of its own.`,
  );
}

interface RightOfOther {
  readonly object: string;
  /** By the name of the object, without the arguments of a function. */
  readonly right: string;
  /** Revokes it; null if others have no right on the object. */
  readonly statement: string | null;
}

/**
 * The rights of roles that no migration grants any: platforms grant their own roles rights on each new object. Earlier rights on an
 * object of that name are kept.
 */
const readForeignRights = async (client: Client): Promise<readonly RightOfOther[]> =>
  (await client.query<RightOfOther>(RIGHTS_OF_OTHERS)).rows;

/** All roles may execute functions, unless their migration revokes it. */
const RIGHTS_OF_OTHERS = `
  select object, format('%s on %s of %s', privilege_type, name, rolname) as right,
    case when privilege_type is not null then format('revoke %s on %s from %s', privilege_type, target, coalesce(quote_ident(rolname), 'public')) end as statement
  from (
    select 'table ' || oid, relname, format('%s %s', case relkind when 'S' then 'sequence' else 'table' end, oid::regclass), relowner, relacl
    from pg_class where relnamespace = 'public'::regnamespace
    union all
    select 'function ' || oid, proname, 'function ' || oid::regprocedure, proowner, proacl from pg_proc where pronamespace = 'public'::regnamespace
  ) as objects (object, name, target, owner, acl)
  left join lateral (
    select privilege_type, rolname
    from aclexplode(acl)
    left join pg_roles on oid = grantee
    where grantee <> owner
      and (rolname is null and target !~ '^function'
        or rolname not in ('petstore_service', 'petstore_operator', 'petstore_support'))
  ) as others on true
  where pg_get_userbyid(owner) = current_user`;

/** In another encoding some pet names cannot be stored; under SQL_ASCII the server counts bytes, not characters. */
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

async function rejectStandby(client: Client): Promise<void> {
  const { rows } = await client.query<{ standby: boolean }>('select pg_is_in_recovery() as standby');
  if (rows[0]?.standby !== true) return;
  throw new MigrationError('This server is a standby, which cannot be migrated. Connect to the primary.');
}

/**
 * A newer release has all migrations of this one, so a database with unknown migrations but without known ones has another schema.
 *
 * @throws MigrationError for such a database, and for one whose migrations were edited
 */
function compare(
  migrations: readonly MigrationFile[],
  records: ReadonlyMap<string, string>,
  folded: FoldedMigrations | undefined,
  log: MigrateOptions['log'],
): void {
  const edited = migrations.find((one) => !isUnchanged(one, records.get(one.name) ?? one.checksum));
  if (edited !== undefined) {
    throw new MigrationError(
      `Migration ${edited.name} was edited after it was applied, so the database does not have the change. Restore the file and add a new migration, or use a new database.`,
    );
  }
  const names = migrations.map(({ name }) => name);
  const unknown = unknownMigrations(records, names, folded);
  if (unknown.length === 0) return;
  const missing = names.find((name) => !records.has(name) && folded?.into.includes(name) !== true);
  if (missing !== undefined) {
    throw new MigrationError(
      `The database was migrated by a different set of migrations: it has ${unknown.join(', ')}, which this release does not have, but not ${missing}. Use the release that migrated it, or a new database.`,
    );
  }
  log?.info(`The database has migrations of a newer release: ${unknown.join(', ')}.`);
}
