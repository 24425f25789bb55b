import { type ClientBase, escapeLiteral, type Pool, type PoolConfig } from 'pg';
import { StacklessError } from '../common/errors/api-error.js';
import { APPLIED_MIGRATIONS } from './migration-records.js';

/**
 * What the statements and the driver rely on. `alter database … set` may say otherwise for the sake of other programs: these are
 * the service's own, set for its roles (deploy/postgres/roles.sh, prisma/roles.sql) and at connect.
 */
export const SESSION_SETTINGS = {
  // The driver reads no other form of time stamps: the times of orders would be empty.
  DateStyle: 'ISO, MDY',
  TimeZone: 'UTC',
  IntervalStyle: 'postgres',
  standard_conforming_strings: 'on',
  transform_null_equals: 'off',
  // Under a stricter isolation, statements that meet fail instead of following one another.
  default_transaction_isolation: 'read committed',
  // From about a million pets on PostgreSQL would compile a list's statement, which takes longer than to run it.
  jit: 'off',
} as const;

/** What a database must have been created with. */
export const SERVER_ENCODING = 'UTF8';

/**
 * SQL of a column that sets them, where a session is one connection's own. A pooler gives its clients other process numbers than
 * the server's: what is set there holds for the next client of the connection, and perhaps never for this one.
 *
 * @param processId the parameter with the number that the connection got: `serverProcessId`
 */
export const setSessionSettings = (processId: `$${number}`): string => `
    case when pg_backend_pid() = ${processId}::int then
      ${Object.entries(SESSION_SETTINGS)
        .map(([name, value]) => `set_config(${escapeLiteral(name)}, ${escapeLiteral(value)}, false)`)
        .join('\n        || ')}
    end`;

/** The number that the server, or the pooler, gave this connection; the types of the driver leave it out. */
export const serverProcessId = (client: ClientBase & { readonly processID?: number | null }): number =>
  client.processID ?? 0;

const PREPARE_SESSION = `select ${setSessionSettings('$1')}`;

/** Gives a connection that was just opened the service's settings. */
export async function prepareSession(client: ClientBase): Promise<void> {
  await client.query(PREPARE_SESSION, [serverProcessId(client)]);
}

/** SQL of a column: their values in this session, for `wrongSettings`. */
export const SETTING_VALUES = `array[${Object.keys(SESSION_SETTINGS)
  .map((name) => `current_setting(${escapeLiteral(name)})`)
  .join(', ')}]`;

export interface WrongSetting {
  readonly name: string;
  readonly value: string;
  readonly wanted: string;
  /** Whether responses may be wrong with it, rather than late. */
  readonly isHarmful: boolean;
}

/** Which of the values that a session has are not the service's, by name. */
export const wrongSettings = (values: readonly string[]): readonly WrongSetting[] =>
  Object.entries(SESSION_SETTINGS).flatMap(([name, wanted], index) => {
    const value = values[index] ?? '';
    const isRight = (EQUIVALENTS[name] ?? new RegExp(`^${wanted}$`)).test(value);
    return isRight ? [] : [{ name, value, wanted, isHarmful: name !== 'jit' }];
  });

export const describeWrongSetting = ({ name, value, wanted }: WrongSetting): string =>
  `${name} is '${value}' instead of '${wanted}'`;

/** Values that are as good: how dates that people write are read makes no difference to the service. */
const EQUIVALENTS: Readonly<Record<string, RegExp>> = {
  DateStyle: /^ISO(?:,|$)/i,
  TimeZone: /^(?:Etc\/)?(?:UTC|UCT|GMT|Universal|Zulu|Greenwich)$/i,
};

/** What a session of the service finds. */
export interface SessionReport {
  /** The server is a standby: it takes no writes until it is promoted. */
  readonly isStandby: boolean;
  /** This session is read only, or those that are opened from now on. */
  readonly isReadOnly: boolean;
  /** For `wrongSettings`. */
  readonly settings: readonly string[];
  readonly appliedMigrations: readonly string[];
}

/** Gives a connection back as one that a new one would differ from. */
export class StaleSessionError extends StacklessError {
  override readonly name = 'StaleSessionError';
}

// A session keeps the `default_transaction_read_only` that it began with, so the catalogue says what a new one would have: what
// is set for a role in a database wins over the role's, and that over the database's. It does not hold where the client itself
// has chosen, and new connections to a pooler need not be new to the server.
const CHECK = `
  select
    pg_is_in_recovery() as standby,
    is_read_only or (is_stale and begins_read_only) as read_only,
    is_stale as stale,
    ${SETTING_VALUES} as settings,
    ${APPLIED_MIGRATIONS} as migrations
  from (
    select
      current_setting('default_transaction_read_only')::boolean as is_read_only,
      coalesce((
        select split_part(setting, '=', 2)::boolean
        from pg_db_role_setting s
        cross join unnest(s.setconfig) as setting
        where s.setdatabase in (0, (select oid from pg_database where datname = current_database()))
          and s.setrole in (0, (select oid from pg_roles where rolname = session_user))
          and starts_with(setting, 'default_transaction_read_only=')
        order by s.setrole = 0, s.setdatabase = 0
        limit 1), false) as begins_read_only) as here
  cross join lateral (
    select case when pg_backend_pid() = $1::int and is_read_only <> begins_read_only
      then (select source <> 'client' from pg_settings where name = 'default_transaction_read_only')
      else false end as is_stale) as compared`;

interface CheckRow {
  readonly standby: boolean;
  readonly read_only: boolean;
  readonly stale: boolean;
  readonly settings: string[];
  readonly migrations: string[];
}

/** Asks a session of the pool, by one statement. A stale one is dropped, and the idle ones with it. */
export async function checkSession(pool: Pool): Promise<SessionReport> {
  const client = await pool.connect();
  let unfit: Error | undefined;
  try {
    const { rows } = await client.query<CheckRow>(CHECK, [serverProcessId(client)]);
    const [row] = rows;
    if (row === undefined) throw new Error('the check of a session has no row');
    if (row.stale) unfit = new StaleSessionError('new sessions differ in default_transaction_read_only');
    return {
      isStandby: row.standby,
      isReadOnly: row.read_only,
      settings: row.settings,
      appliedMigrations: row.migrations,
    };
  } catch (error) {
    unfit = error instanceof Error ? error : new Error(String(error));
    throw error;
  } finally {
    client.release(unfit);
  }
}

/**
 * The server gives a statement up this much earlier than the service gives its connection up: 600 ms by default, a third of
 * what a request has. So writes that wait for their turn in a stall of a second still have the time to be sent.
 */
const EARLIER_MS = 350;

/** From the time-out of the server to the moment at which the service knows of it: the way back, and a busy process. */
const NOTICED_MS = 100;

/** How long a lock is awaited. Shorter than a statement may take, and than PostgreSQL waits before it looks for deadlocks (1 s). */
const LOCK_MS = 400;

/** The server's time-out for statements of a service that gives a connection up after `statementTimeoutMs`. */
export const serverTimeoutMs = (statementTimeoutMs: number): number => statementTimeoutMs - EARLIER_MS;

/** Milliseconds after its sending in which a statement that does not reach its commit is known to be rolled back. */
export const endsWithinMs = (statementTimeoutMs: number): number =>
  serverTimeoutMs(statementTimeoutMs) + NOTICED_MS;

/**
 * Seconds. A connection whose other end is gone without a word (a replica behind a parted network) is found in half a minute;
 * by default a server keeps its place, and its share of `max_connections`, for two hours.
 */
const KEEPALIVE = { idle: 15, interval: 5, count: 3 };

// A statement and no start-up parameter, which poolers refuse. What an operator has set for the role or the database holds.
const BOUND_SESSION = `
  select ${setSessionSettings('$2')},
    case when current_setting('statement_timeout') = '0' then set_config('statement_timeout', $1, false) end,
    case when current_setting('lock_timeout') = '0' then set_config('lock_timeout', '${LOCK_MS}', false) end,
    case when current_setting('tcp_keepalives_idle')::int > ${KEEPALIVE.idle} then
      set_config('tcp_keepalives_idle', '${KEEPALIVE.idle}', false)
        || set_config('tcp_keepalives_interval', '${KEEPALIVE.interval}', false)
        || set_config('tcp_keepalives_count', '${KEEPALIVE.count}', false)
    end`;

/** For a pool: gives each new connection the service's settings, and statements that the server ends by itself, before it is handed out. */
export function boundSessions(statementTimeoutMs: number): NonNullable<PoolConfig['verify']> {
  const timeoutMs = String(serverTimeoutMs(statementTimeoutMs));
  return (client, done) => {
    // Nobody else listens yet, and a connection that breaks now must not end the process.
    client.on('error', ignore);
    client.query(BOUND_SESSION, [timeoutMs, serverProcessId(client)]).then(() => {
      done();
      client.off('error', ignore);
    }, done);
  };
}

function ignore(): void {
  // The statement under way rejects with the same error.
}
