import type { Readable, Writable } from 'node:stream';
import type { Config } from '../config/config.js';
import { CliError, UsageError } from './cli-error.js';

/** What commands are given from outside. */
export interface CliContext {
  /** @throws ConfigError */
  readonly config: () => Config;
  /** The user at the command line, for the audit. */
  readonly actor: string;
  readonly print: (text: string) => void;
  readonly complain: (text: string) => void;
  /** For rows that are too many to be held in memory. */
  readonly stdin: Readable;
  readonly stdout: Writable;
  /** Absent: nobody is there to answer. */
  readonly ask?: (question: string) => Promise<string>;
  /** Draws progress, and wipes it out. Absent: standard error is no terminal. */
  readonly draw?: (text: string) => void;
  /** Calls back when the user wants the command to end; returns how to stop listening. */
  readonly onInterrupt: (interrupt: () => void) => () => void;
  /** Milliseconds of this machine's clock. */
  readonly nowMs: () => number;
}

/**
 * Asks before something that cannot be undone.
 *
 * @throws UsageError when nobody can answer and `--yes` was not given
 * @throws CliError when the answer is not yes
 */
export async function confirm({ ask }: CliContext, yes: boolean, question: string): Promise<void> {
  if (yes) return;
  if (ask === undefined) {
    throw new UsageError(
      `${question} Nobody is here to answer.`,
      'Give --yes to have it done without asking.',
    );
  }
  const answer = await ask(`${question} [y/N] `);
  if (!/^y(?:es)?$/i.test(answer.trim())) throw new CliError('Nothing was changed.');
}
