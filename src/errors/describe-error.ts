import { types } from 'node:util';
import { DatabaseError } from 'pg';

/** The database's or driver's message in one line, with the line of `sql` if the database reports a position. */
export function describeError(thrown: unknown, sql?: string): string {
  const fault = thrown instanceof Error && thrown.cause instanceof DatabaseError ? thrown.cause : thrown;
  if (!(fault instanceof DatabaseError)) return messageOf(fault);
  const notes = [`SQLSTATE ${fault.code ?? 'unknown'}`];
  const position = Number(fault.position);
  if (sql !== undefined && position > 0) notes.unshift(`line ${String(lineAt(sql, position))}`);
  const more = [fault.detail, fault.hint, fault.where].filter((part) => part !== undefined);
  return [`${fault.message} (${notes.join(', ')})`, ...more].join('; ').replaceAll(/\s*\n\s*/g, ' ');
}

/** The message of any thrown value. */
export function messageOf(fault: unknown): string {
  // Not `instanceof`: Node's errors are not instances of Jest's Error
  if (!types.isNativeError(fault)) return String(fault);
  // Node tries each address of a host and, when all fail, leaves the message empty.
  const parts: unknown = 'errors' in fault ? fault.errors : undefined;
  if (fault.message === '' && Array.isArray(parts)) return parts.map((part) => messageOf(part)).join('; ');
  const code = 'code' in fault ? String(fault.code) : '';
  if (CERTIFICATE_ERROR.test(code)) return describeCertificate(code, fault.message);
  const hint = HINTS.find(([pattern]) => pattern.test(fault.message))?.[1];
  // A copied message already has the hint.
  return hint === undefined || fault.message.endsWith(hint) ? fault.message : `${fault.message}; ${hint}`;
}

/** What to do about some messages of the driver. */
const HINTS: readonly (readonly [RegExp, string])[] = [
  [
    /scramMaxIterations/,
    'set scram_iterations of the server to 100000 or less, then set the password of the role again',
  ],
  [/^The server does not support SSL connections/, 'enable its ssl, or set sslmode=disable'],
  [/^There was an error establishing an SSL connection/, 'see the log of the server'],
];

/** The TLS error codes for a server certificate that was not accepted. */
export const CERTIFICATE_ERROR = /CERT|^UNABLE_TO_/;

function describeCertificate(code: string, message: string): string {
  const isUnknown = /SELF_SIGNED|UNABLE_TO/.test(code);
  return `the server's certificate is not accepted: ${message} (${code})${isUnknown ? '; set sslrootcert to its CA file' : ''}`;
}

/** PostgreSQL counts code points from 1; JavaScript counts some of them as two. */
function lineAt(sql: string, position: number): number {
  const before = Array.from(sql).slice(0, position - 1);
  return before.filter((character) => character === '\n').length + 1;
}
