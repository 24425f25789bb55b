import { type Client, type ClientBase, type ClientConfig, escapeLiteral, type QueryConfig } from 'pg';
import { DATABASE_PROBE_MS } from '../config/config.js';
import { DatabaseClient } from './database-client.js';
import { withTimeout } from './with-timeout.js';

/**
 * Settings that the statements and the driver rely on. `alter database … set` may differ for other programs: these are
 * the service's own, set for its roles (prisma/roles.sql) and at connect.
 */
export const SESSION_SETTINGS = {
  // The driver parses no other timestamp format: order times would be empty.
  DateStyle: 'ISO, MDY',
  TimeZone: 'UTC',
  IntervalStyle: 'postgres',
  standard_conforming_strings: 'on',
  transform_null_equals: 'off',
  // Statements name tables and functions without their schema.
  search_path: 'public',
  // The text formats of bytea, floating-point numbers, and null in arrays.
  bytea_output: 'hex',
  extra_float_digits: '1',
  array_nulls: 'on',
  // An error of one statement would end its connection.
  exit_on_error: 'off',
  // Under stricter isolation, conflicting statements fail instead of waiting for each other.
  default_transaction_isolation: 'read committed',
  // From about a million pets, PostgreSQL would JIT-compile list queries, which takes longer than running them.
  jit: 'off',
} as const;

/** Properties with which a database must have been created. */
export const SERVER_ENCODING = 'UTF8';

/** SQL columns that set them: for the session, or until the end of the transaction. */
const setSettings = (isLocal: boolean): string =>
  Object.entries(SESSION_SETTINGS)
    .map(([name, value]) => `set_config(${escapeLiteral(name)}, ${escapeLiteral(value)}, ${isLocal})`)
    .join(', ');

const CONNECT_TIMEOUT_MS = 10_000;

/** From a statement's time-out at the server to the moment the client gives it up. */
const LATE_RESULT_MS = 5000;

/** Opens a connection for `beginTransaction`, which fails when a statement takes longer. */
export async function openSession(config: ClientConfig, statementTimeoutMs: number): Promise<Client> {
  const client = new DatabaseClient({
    connectionTimeoutMillis: CONNECT_TIMEOUT_MS,
    query_timeout: statementTimeoutMs + LATE_RESULT_MS,
    ...config,
  });
  await client.connect();
  return client;
}

/** Closes a connection, without waiting for a server that is down. */
export const closeSession = (client: Client): Promise<void> =>
  withTimeout(CLOSE_TIMEOUT_MS, client.end()).catch(() => undefined);

const CLOSE_TIMEOUT_MS = 1000;

// From the catalog, because transaction_timeout does not exist before PostgreSQL 17.
const SET_LOCALLY = `
  select ${setSettings(true)},
    set_config('lock_timeout', $1, true),
    (select set_config(name, '0', true) from pg_settings where name = 'transaction_timeout')`;

/**
 * Begins a transaction with the service's settings and with time-outs. They end with it: behind a pooler the connection belongs to others
 * afterwards.
 *
 * @param begin the statement that begins it
 */
export async function beginTransaction(
  client: Client,
  statementTimeoutMs: number,
  lockTimeoutMs: number,
  begin = 'begin isolation level read committed',
): Promise<void> {
  // In one message, because the role's time-outs may be 1 ms.
  const statements = [
    begin,
    `set local statement_timeout = ${statementTimeoutMs}`,
    'set local idle_in_transaction_session_timeout = 0',
  ];
  await client.query(short(statements.join('; ')));
  await client.query(short(SET_LOCALLY), [String(lockTimeoutMs)]);
}

export const rollBack = (client: Client): Promise<unknown> => client.query(short('rollback'));

/** A statement that is quick. */
const short = (text: string): QueryConfig & Pick<ClientConfig, 'query_timeout'> => ({
  text,
  query_timeout: CONNECT_TIMEOUT_MS,
});

const valuesOf = (read: (name: string) => string): string =>
  `array[${Object.keys(SESSION_SETTINGS)
    .map((name) => read(escapeLiteral(name)))
    .join(', ')}]`;

/** SQL column: their values in this session, for `wrongSettings`. */
export const SETTING_VALUES = valuesOf((name) => `current_setting(${name})`);

/** The same for the role: a session's initial values. */
export const ROLE_SETTING_VALUES = valuesOf(
  (name) => `(select reset_val from pg_settings where name = ${name})`,
);

export interface WrongSetting {
  readonly name: string;
  readonly value: string;
  readonly wanted: string;
  /** Whether it can make responses wrong, not just slow. */
  readonly isHarmful: boolean;
}

/** The values of a session that differ from the service's, by name. */
export const wrongSettings = (values: readonly string[]): readonly WrongSetting[] =>
  Object.entries(SESSION_SETTINGS).flatMap(([name, wanted], index) => {
    const value = values[index] ?? '';
    const isRight = (EQUIVALENTS[name] ?? new RegExp(`^${wanted}$`)).test(value);
    return isRight ? [] : [{ name, value, wanted, isHarmful: name !== 'jit' }];
  });

export const describeWrongSetting = ({ name, value, wanted }: WrongSetting): string =>
  `${name} is '${value}' instead of '${wanted}'`;

/** Equivalent values: the input order of dates makes no difference, nor does a schema after `public`. */
const EQUIVALENTS: Readonly<Record<string, RegExp>> = {
  DateStyle: /^ISO(?:,|$)/i,
  search_path: /^(?:"\$user", *)?public(?:,|$)/,
  extra_float_digits: /^[1-3]$/,
  TimeZone: /^(?:Etc\/)?(?:UTC|UCT|GMT|Universal|Zulu|Greenwich)$/i,
};

/** From the server's time-out until the service notices: network latency, and a busy process. */
const NOTICED_MS = 100;

/**
 * The lock time-out as a share of the server's statement time-out: 400 ms by default, and always less than PostgreSQL waits
 * before checking for deadlocks (1 s).
 */
const LOCK_SHARE = 2 / 3;

/** The server's statement time-out, if the service gives up a connection after `statementTimeoutMs`. */
export const serverTimeoutMs = (statementTimeoutMs: number): number => statementTimeoutMs - DATABASE_PROBE_MS;

/** Milliseconds after sending by which a statement that has not reached its commit is known to be rolled back. */
export const endsWithinMs = (statementTimeoutMs: number): number =>
  serverTimeoutMs(statementTimeoutMs) + NOTICED_MS;

/**
 * Seconds. A connection whose peer has silently gone (a replica behind a network partition) is detected in half a minute;
 * by default a server keeps it, and its share of `max_connections`, for two hours.
 */
const KEEPALIVE = { idle: 15, interval: 5, count: 3 };

// A statement instead of startup parameters, which poolers reject. Time-outs that an operator set for the role take precedence.
const BIND_SESSION = `
  select ${setSettings(false)},
    case when current_setting('statement_timeout') = '0' then set_config('statement_timeout', $1, false) end,
    case when current_setting('lock_timeout') = '0' then set_config('lock_timeout', $2, false) end,
    set_config('tcp_keepalives_idle', '${KEEPALIVE.idle}', false),
    set_config('tcp_keepalives_interval', '${KEEPALIVE.interval}', false),
    set_config('tcp_keepalives_count', '${KEEPALIVE.count}', false)`;

/** The same, plus time-outs that the server enforces. */
export async function bindSession(client: ClientBase, statementTimeoutMs: number): Promise<void> {
  await client.query(BIND_SESSION, timeouts(statementTimeoutMs));
}

/** In PostgreSQL's format: for statements, and for waiting for locks. */
function timeouts(statementTimeoutMs: number): [statement: string, lock: string] {
  const serverMs = serverTimeoutMs(statementTimeoutMs);
  return [`${serverMs}ms`, `${Math.round(serverMs * LOCK_SHARE)}ms`];
}

/** What prisma/roles.sql sets for the service's roles in their database, by name. It applies to sessions, even behind a pooler. */
export function roleSettings(statementTimeoutMs: number) {
  const [statement_timeout, lock_timeout] = timeouts(statementTimeoutMs);
  const idle_in_transaction_session_timeout = '5s';
  return { ...SESSION_SETTINGS, statement_timeout, lock_timeout, idle_in_transaction_session_timeout };
}
