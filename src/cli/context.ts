import type { Config } from '../config/config.js';
import type { Row } from '../database/statement.js';
import { CliError, UsageError } from './cli-error.js';
import { printable } from '../monitoring/text.js';

/** The environment of a command: configuration, user, terminal and clock. */
export interface CliContext {
  /** @throws ConfigError */
  readonly config: () => Config;
  /** Who makes the change, for the audit log; empty if unknown. */
  readonly actor: string;
  readonly print: (text: string) => void;
  /**
   * Resolves when all printed output is flushed.
   *
   * @throws LostOutputError if the reader closed it, or writing fails
   */
  readonly printed: () => Promise<void>;
  readonly printError: (text: string) => void;
  /** The width of the terminal; undefined when standard output is no terminal. */
  readonly columns: number | undefined;
  /** Runs a program in the foreground, with added variables. Resolves to its exit code; null if a signal ended it. */
  readonly run: (
    program: string,
    words: readonly string[],
    environment: Readonly<Record<string, string>>,
  ) => Promise<number | null>;
  /** Absent if the CLI is not interactive. */
  readonly ask?: (question: string) => Promise<string>;
  /** Milliseconds on this machine's clock. */
  readonly nowMs: () => number;
  /** Called before a change is committed: until `onCommit`, the outcome is unknown. */
  readonly onCommitting?: () => void;
  /** Called when a change is committed, with the row that it returned, if it returned one. */
  readonly onCommit?: (row?: Row) => void;
}

/**
 * Asks for confirmation before a change that cannot be undone.
 *
 * @throws UsageError when there is no terminal and `--yes` was not given
 * @throws CliError when the user does not confirm
 */
export async function confirm({ ask }: CliContext, text: string): Promise<void> {
  const question = printable(text);
  if (ask === undefined) {
    throw new UsageError(`${question} Pass --yes to confirm without a terminal.`);
  }
  const reply = await ask(`${question} Continue? [y/N] `);
  if (!/^y(?:es)?$/i.test(reply.trim())) throw new CliError('Cancelled. Nothing was changed.');
}
