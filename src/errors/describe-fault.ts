import { types } from 'node:util';
import { DatabaseError } from 'pg';

/** The message of the database or the driver in one line, with the line of `sql` when the database names a place in it. */
export function describeFault(thrown: unknown, sql?: string): string {
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
  // Not `instanceof`: an error of Node's own is none of Jest's Error.
  if (!types.isNativeError(fault)) return String(fault);
  // Node tries each address of a host and, when all fail, leaves the message empty.
  const parts: unknown = 'errors' in fault ? fault.errors : undefined;
  if (fault.message === '' && Array.isArray(parts)) return parts.map((part) => messageOf(part)).join('; ');
  const code = 'code' in fault ? String(fault.code) : '';
  if (CERTIFICATE_ERROR.test(code)) return describeCertificate(code, fault.message);
  const hint = HINTS.find(([pattern]) => pattern.test(fault.message))?.[1];
  // A message that was taken over has it already.
  return hint === undefined || fault.message.endsWith(hint) ? fault.message : `${fault.message}; ${hint}`;
}

/** What to do about some messages of the driver. */
const HINTS: readonly (readonly [RegExp, string])[] = [
  [
    /scramMaxIterations/,
    'set scram_iterations of the server to 100000 or less, and then the password of the role again',
  ],
  [/^The server does not support SSL connections/, 'turn its ssl on, or write sslmode=disable'],
  [/^There was an error establishing an SSL connection/, 'the log of the server says why'],
];

/** The codes of errors of TLS that say that the server's certificate was not accepted. */
export const CERTIFICATE_ERROR = /CERT|^UNABLE_TO_/;

function describeCertificate(code: string, message: string): string {
  const isUnknown = /SELF_SIGNED|UNABLE_TO/.test(code);
  return `the server's certificate is not accepted: ${message} (${code})${isUnknown ? '; set sslrootcert to the file of its CA' : ''}`;
}

/** PostgreSQL counts characters from 1, where JavaScript's index would count some of them twice. */
function lineAt(sql: string, position: number): number {
  const before = Array.from(sql).slice(0, position - 1);
  return before.filter((character) => character === '\n').length + 1;
}
