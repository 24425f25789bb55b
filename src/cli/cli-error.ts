import { types } from 'node:util';
import { CommanderError } from 'commander';
import { DatabaseError } from 'pg';
import { classifyDatabaseError } from '../prisma/database-errors.js';
import { describeFault } from '../errors/describe-fault.js';
import { explainStartError } from '../lifecycle/start-error.js';

/** Why a command fails: one line for a person, and a second one with what to do about it. */
export class CliError extends Error {
  override readonly name: string = 'CliError';

  constructor(
    message: string,
    readonly hint?: string,
  ) {
    super(message);
  }
}

/** The command line itself is wrong: nothing was tried. */
export class UsageError extends CliError {
  override readonly name = 'UsageError';
}

export const EXIT_CODES = { ok: 0, failure: 1, usage: 2 } as const;

/** The exit code of a failed command, and its text for standard error, which is empty when all is said. */
export interface Ending {
  readonly exitCode: number;
  readonly text: string;
}

/** One line that says what is wrong and, where there is something to do, a second one. A stack is for faults of the code. */
export function explainError(error: unknown): Ending {
  // Commander has written its message already.
  if (error instanceof CommanderError) {
    return { exitCode: error.exitCode === 0 ? EXIT_CODES.ok : EXIT_CODES.usage, text: '' };
  }
  if (error instanceof UsageError) return ending(EXIT_CODES.usage, error.message, error.hint);
  if (error instanceof CliError) return ending(EXIT_CODES.failure, error.message, error.hint);
  // The reader of the output has seen enough, as `head` does.
  if (isBrokenPipe(error)) return { exitCode: EXIT_CODES.ok, text: '' };
  if (error instanceof DatabaseError) {
    return ending(EXIT_CODES.failure, error.message, error.hint ?? error.detail);
  }
  const failure = classifyDatabaseError(error);
  if (failure === 'broken' || failure === 'not-sent') {
    return ending(EXIT_CODES.failure, `The connection to the database was lost: ${describeFault(error)}`);
  }
  return ending(EXIT_CODES.failure, explainStartError(error));
}

const ending = (exitCode: number, message: string, hint = ''): Ending => ({
  exitCode,
  text: hint === '' ? `${message}\n` : `${message}\n${hint}\n`,
});

const isBrokenPipe = (error: unknown): boolean =>
  types.isNativeError(error) &&
  'code' in error &&
  error.code === 'EPIPE' &&
  'syscall' in error &&
  error.syscall === 'write';
