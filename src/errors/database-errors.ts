import { StacklessError } from './api-error.js';
import { CERTIFICATE_ERROR, messageOf } from './describe-error.js';

/** The only file that reads SQLSTATE: errors are normalized, then classified by tables. */

/**
 * Why a statement failed.
 *
 * - `not-sent`: it never ran, so any statement may be retried.
 * - `broken`: the connection broke before the result arrived, so whether it committed is unknown.
 * - `server-timeout`: the server rolled it back by `lock_timeout` or `statement_timeout`. A retry may succeed.
 * - `statement-error`: the server rolled it back because of an error in the statement or in one of its items.
 * - `rejected`: the server rejects all such statements (read only, disk full).
 * - `unexpected`: an error in the program; whether it committed is unknown.
 */
export type DatabaseFailure = (typeof DATABASE_FAILURES)[number];

export const DATABASE_FAILURES = [
  'not-sent',
  'broken',
  'server-timeout',
  'statement-error',
  'rejected',
  'unexpected',
] as const;

/** Why the service is unavailable: for logs and metrics, never for clients. */
export type UnavailableReason = (typeof UNAVAILABLE_REASONS)[number];

export const UNAVAILABLE_REASONS = ['overloaded', 'timed-out', 'row-locked', 'database', 'closing'] as const;

/** The service is unavailable (503 `service_unavailable`). Message and cause are internal. */
export class UnavailableError extends StacklessError {
  override readonly name = 'UnavailableError';

  constructor(
    readonly reason: UnavailableReason,
    message: string,
    options?: ErrorOptions,
  ) {
    super(message, options);
  }
}

/**
 * The statement was not sent. Prisma passes this error through, unless its message is one of the driver's TLS messages:
 * `messageOf` adds a hint to those.
 */
export class NotSentError extends StacklessError {
  override readonly name = 'NotSentError';

  constructor(cause: unknown) {
    super(typeof cause === 'string' ? cause : messageOf(cause), { cause });
  }
}

/** The connection broke, or the statement timed out, before the result arrived. */
export class BrokenConnectionError extends StacklessError {
  override readonly name = 'BrokenConnectionError';

  constructor(cause: unknown) {
    super(messageOf(cause), { cause });
  }
}

/** Wraps the server's error for a statement: Prisma would replace it with its own error, which lacks some fields. */
export class StatementError extends StacklessError {
  override readonly name = 'StatementError';

  constructor(cause: Error) {
    super(cause.message, { cause });
  }
}

/** Classifies the error of a statement, so that the caller knows whether to retry it. */
export function classifyDatabaseError(error: unknown): DatabaseFailure {
  if (error instanceof NotSentError) return 'not-sent';
  if (error instanceof BrokenConnectionError) return 'broken';
  const { sqlState, routine } = readError(error);
  if (sqlState === undefined) return 'unexpected';
  // A migration changed the columns of a prepared statement: it did not run.
  if (routine === 'RevalidateCachedQuery') return 'not-sent';
  return failureOf(sqlState);
}

const failureOf = (sqlState: string): DatabaseFailure =>
  sqlStates.get(sqlState) ?? sqlStates.get(sqlState.slice(0, 2)) ?? 'statement-error';

/** Whether the database is unavailable (503), rather than the statement or the program being wrong. */
export function isUnavailable(error: unknown): boolean {
  if (error instanceof UnavailableError) return true;
  const failure = classifyDatabaseError(error);
  if (failure !== 'statement-error') return failure !== 'unexpected';
  const { sqlState = '', message } = readError(error);
  return (
    transient.has(sqlState) || (sqlState === INTERNAL_ERROR && message.startsWith('cache lookup failed '))
  );
}

/**
 * Another transaction interfered: a lock time-out, a deadlock, a serialization failure, or an object that was dropped since the statement
 * was planned.
 */
export const isContention = (error: unknown): boolean =>
  readError(error).sqlState === LOCK_NOT_AVAILABLE ||
  (classifyDatabaseError(error) === 'statement-error' && isUnavailable(error));

/** Wraps the error in an `UnavailableError` if the database is unavailable; returns any other unchanged. */
export function asUnavailable(error: unknown): unknown {
  if (error instanceof UnavailableError || !isUnavailable(error)) return error;
  return new UnavailableError('database', messageOf(error), { cause: error });
}

/**
 * Whether connecting may succeed later: the server or pooler is starting, stopping, full or not found. A wrong password, a missing
 * database or a failed TLS negotiation needs manual intervention.
 */
export function isTemporary(error: unknown): boolean {
  const { sqlState, code = '', message } = readError(error);
  const failure = sqlState === undefined ? classifyDatabaseError(error) : failureOf(sqlState);
  return (
    ['not-sent', 'broken'].includes(failure) &&
    !/^(?:28|3D|08004)/.test(sqlState ?? '') &&
    !/^ERR_(?:SSL|TLS)_/.test(code) &&
    !CERTIFICATE_ERROR.test(code) &&
    // PgBouncer has one code for all of its errors.
    !/^SASL: | SSL connection|authentication failed|no such (?:database|user)/.test(message)
  );
}

/** Whether a table that a statement names does not exist. */
export const isUndefinedTable = (error: unknown): boolean => readError(error).sqlState === '42P01';

/** Whether a prepared statement is missing or already exists, as behind a pooler that does not track them per client. */
export const isPreparedElsewhere = (error: unknown): boolean =>
  ['26000', '42P05'].includes(readError(error).sqlState ?? '');

/** The unique index that a row would have violated; undefined for other errors. The statement was rolled back. */
export const violatedUniqueIndex = (error: unknown): string | undefined => {
  const { sqlState, constraint } = readError(error);
  return sqlState === '23505' ? constraint : undefined;
};

/** Whether the session can be reused after a failed statement: the server rolled it back and is still running. */
export const isUsableAfter = (error: unknown): boolean =>
  ['statement-error', 'server-timeout'].includes(classifyDatabaseError(error)) &&
  !isPreparedElsewhere(error) &&
  // The session may still have a time-out of its role that has been corrected.
  readError(error).sqlState !== STATEMENT_TIMEOUT &&
  // The session may have cached the cause of an internal error.
  !(readError(error).sqlState ?? '').startsWith('XX');

/** A value of the statement or of a row that it changes is wrong (classes 22 and 23). The statement was rolled back. */
export const isDataError = (error: unknown): boolean => /^2[23]/.test(readError(error).sqlState ?? '');

/** Permission denied. */
export const isForbidden = (error: unknown): boolean => readError(error).sqlState === '42501';

/** The session is read only: on a standby, or started while that was the default. */
export const isReadOnly = (error: unknown): boolean => readError(error).sqlState === READ_ONLY;

const READ_ONLY = '25006';

const STATEMENT_TIMEOUT = '57014';
const LOCK_NOT_AVAILABLE = '55P03';

/** Includes a function or table dropped since the statement was planned, as by a restore. */
const INTERNAL_ERROR = 'XX000';

/** By SQLSTATE, or by its class (the first two characters); all others are errors of the statement. */
const sqlStates: ReadonlyMap<string, DatabaseFailure> = new Map<string, DatabaseFailure>([
  ['08', 'broken'], // connection exceptions; PgBouncer's own errors are 08P01, before and after a statement was sent
  ['08001', 'not-sent'], // no connection could be made
  ['08004', 'not-sent'], // the connection was rejected
  ['28', 'not-sent'], // wrong role or password: raised while connecting only
  ['3D000', 'not-sent'], // no such database: likewise
  ['53300', 'not-sent'], // too many connections: likewise
  ['57P03', 'not-sent'], // starting up or shutting down: likewise
  [READ_ONLY, 'rejected'], // read only: a standby, or a demoted primary
  ['53', 'rejected'], // out of disk, memory or another resource
  ['58', 'rejected'], // an operating system error
  [STATEMENT_TIMEOUT, 'server-timeout'], // statement_timeout, or a cancel request: both before the commit
  [LOCK_NOT_AVAILABLE, 'server-timeout'], // lock_timeout
  ['25P03', 'broken'], // the session was ended: idle in a transaction for too long
  ['25P04', 'broken'], // the session was ended: transaction_timeout
  ['40003', 'broken'], // "statement completion unknown"
  // The session was ended by an administrator, a crash, a dropped database or idleness. PostgreSQL rolls the statement
  // back, but the same code also ends a wait for synchronous replication after the commit, and poolers pass it on.
  ['57P01', 'broken'],
  ['57P02', 'broken'],
  ['57P04', 'broken'],
  ['57P05', 'broken'],
]);

/** Errors of a statement that the client may repeat (503): a serialization failure, a deadlock. */
const transient: ReadonlySet<string> = new Set(['40001', '40P01']);

interface ReadError {
  readonly message: string;
  /** Only the server's errors have one. */
  readonly sqlState?: string | undefined;
  /** The function of the server that raised the error: never translated, unlike its message. */
  readonly routine?: string | undefined;
  /** Of a unique constraint that a row would violate. */
  readonly constraint?: string | undefined;
  /** Node.js's code. */
  readonly code?: string | undefined;
}

/** Duck typing: tests may load another copy of the driver's classes. */
function readError(error: unknown): ReadError {
  const isWrapped =
    error instanceof NotSentError ||
    error instanceof BrokenConnectionError ||
    error instanceof StatementError;
  const source = isWrapped ? error.cause : error;
  const message = text(source, 'message') ?? '';
  const code = text(source, 'code');
  // `EPIPE` looks like a SQLSTATE, too.
  if (text(source, 'severity') === undefined) return { message, code };
  const routine = text(source, 'routine');
  return { message, sqlState: code, routine, constraint: text(source, 'constraint') };
}

function text(of: unknown, name: string): string | undefined {
  const value: unknown = typeof of === 'object' && of !== null ? Reflect.get(of, name) : undefined;
  return typeof value === 'string' ? value : undefined;
}
