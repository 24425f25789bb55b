import { CommanderError } from 'commander';
import { DatabaseError } from 'pg';
import { classifyDatabaseError } from '../errors/database-errors.js';
import { describeError } from '../errors/describe-error.js';
import { explainStartError } from '../lifecycle/start-error.js';
import { printableLines } from '../monitoring/text.js';
import type { Row } from '../database/statement.js';

export const EXIT_CODES = { ok: 0, failure: 1, usage: 2 } as const;

/** Why a command failed: a one-line message, and a hint on the fix. */
export class CliError extends Error {
  override readonly name: string = 'CliError';

  constructor(
    message: string,
    readonly hint?: string,
    readonly exitCode: number = EXIT_CODES.failure,
  ) {
    super(message);
  }
}

/** The command line is wrong, and nothing was changed. */
export class UsageError extends CliError {
  override readonly name = 'UsageError';

  constructor(message: string, hint?: string) {
    super(message, hint, EXIT_CODES.usage);
  }
}

/** The connection was lost in a commit. */
export class UnknownOutcomeError extends CliError {
  override readonly name = 'UnknownOutcomeError';

  constructor(error: unknown) {
    super(`Lost the connection to the database in the commit: ${describeError(error)}. ${UNKNOWN_CHANGE}`);
  }
}

/** Fails with the system's file error. */
export const cannot =
  (what: 'read' | 'write', path: string) =>
  (error: unknown): never => {
    throw new CliError(`Cannot ${what} ${path}: ${describeError(error)}`);
  };

/** The output cannot be written, or its reader is gone: exit. */
export class LostOutputError extends Error {
  override readonly name = 'LostOutputError';
}

/** The exit code of a failed command, and its text for standard error; empty when the text is already printed. */
export interface Failure {
  readonly exitCode: number;
  readonly text: string;
}

/** One line with the error and, if there is one, a line with a hint. Only errors in the code have a stack trace. */
export function explainError(error: unknown): Failure {
  // Commander has written its message already.
  if (error instanceof CommanderError) {
    return { exitCode: error.exitCode === 0 ? EXIT_CODES.ok : EXIT_CODES.usage, text: '' };
  }
  // main.ts handles this error.
  if (error instanceof LostOutputError) return { exitCode: EXIT_CODES.ok, text: '' };
  if (error instanceof CliError) return toFailure(error.exitCode, error.message, error.hint);
  if (error instanceof DatabaseError) {
    const hint = error.hint ?? (error.code === INSUFFICIENT_PRIVILEGE ? PRIVILEGE_HINT : error.detail);
    return toFailure(EXIT_CODES.failure, error.message, hint);
  }
  const failure = classifyDatabaseError(error);
  if (failure === 'broken' || failure === 'not-sent') {
    return toFailure(EXIT_CODES.failure, `Lost the connection to the database: ${describeError(error)}`);
  }
  return toFailure(EXIT_CODES.failure, explainStartError(error));
}

const INSUFFICIENT_PRIVILEGE = '42501';

const PRIVILEGE_HINT =
  'Members of petstore_support may read, members of petstore_operator may change keys and plans, and the owner of the tables may migrate. What this role may do: petstore doctor';

const toFailure = (exitCode: number, message: string, hint = ''): Failure => ({
  exitCode,
  text: printableLines(hint === '' ? `${message}\n` : `${message}\n${hint}\n`),
});

/** For a change whose commit was not confirmed. */
const UNKNOWN_CHANGE = 'The change may be in the database. To see it: petstore audit';

/** What a command has changed: nothing yet, unknown, or the row (maybe empty) that a committed change returned. */
export type Change = undefined | 'unknown' | Row;

/** Why a command was interrupted or could not write its output, and what it has changed. */
export const explainAbort = (why: string, changed: Change): string => `${why}\n${describeChange(changed)}\n`;

function describeChange(changed: Change): string {
  if (changed === undefined) return 'Nothing was changed in the database.';
  if (changed === 'unknown') return UNKNOWN_CHANGE;
  if (!('key' in changed)) return 'The change is in the database.';
  const id = String(changed['id']);
  return `Key ${id} has a new secret, which is lost. To replace it: petstore keys rotate ${id} --overlap 0`;
}
