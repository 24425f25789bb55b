import { types } from 'node:util';
import { CommanderError } from 'commander';
import { DatabaseError } from 'pg';
import { classifyDatabaseError } from '../database/database-errors.js';
import { describeFault } from '../database/describe-fault.js';
import { explainStartError } from '../operations/start-error.js';
import { CliError, UsageError } from './cli-error.js';

export const EXIT_CODES = { ok: 0, failure: 1, usage: 2 } as const;

/** How a command that did not go well ends. */
export interface Ending {
  readonly exitCode: number;
  /** For standard error, with its line ends; empty when all is said. */
  readonly text: string;
}

/** A line that says what is wrong and, where there is something to do, a second one: never a stack of what is no fault of the code. */
export function explainError(error: unknown): Ending {
  // Commander has written what there is to say.
  if (error instanceof CommanderError) {
    return { exitCode: error.exitCode === 0 ? EXIT_CODES.ok : EXIT_CODES.usage, text: '' };
  }
  if (error instanceof CliError) {
    const exitCode = error instanceof UsageError ? EXIT_CODES.usage : EXIT_CODES.failure;
    return { exitCode, text: inLines(error.message, error.hint) };
  }
  // Who read the output has seen enough, as `head` does.
  if (isBrokenPipe(error)) return { exitCode: EXIT_CODES.ok, text: '' };
  if (error instanceof DatabaseError) {
    return { exitCode: EXIT_CODES.failure, text: inLines(error.message, error.hint ?? error.detail) };
  }
  const failure = classifyDatabaseError(error);
  if (failure === 'broken' || failure === 'not-sent') {
    return {
      exitCode: EXIT_CODES.failure,
      text: inLines(`The connection to the database was lost: ${describeFault(error)}`),
    };
  }
  return { exitCode: EXIT_CODES.failure, text: inLines(explainStartError(error)) };
}

const inLines = (message: string, hint?: string): string =>
  hint === undefined || hint === '' ? `${message}\n` : `${message}\n${hint}\n`;

const isBrokenPipe = (error: unknown): boolean =>
  types.isNativeError(error) &&
  'code' in error &&
  error.code === 'EPIPE' &&
  'syscall' in error &&
  error.syscall === 'write';
