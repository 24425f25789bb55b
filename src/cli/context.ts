import type { Readable, Writable } from 'node:stream';
import type { Config } from '../config/config.js';

/** What commands are given from outside. */
export interface CliContext {
  /** @throws ConfigError */
  readonly config: () => Config;
  /** Who is at the command line, for the audit. */
  readonly actor: string;
  readonly print: (text: string) => void;
  readonly complain: (text: string) => void;
  /** For what is too long to be held: rows that come and rows that go. */
  readonly stdin: Readable;
  readonly stdout: Writable;
  /** Absent: nobody is there to answer. */
  readonly ask?: (question: string) => Promise<string>;
  /** Where progress may be drawn and wiped out again; absent: standard error is no terminal. */
  readonly draw?: (text: string) => void;
  /** Calls back when the person wants the command to end; returns how to listen no more. */
  readonly onInterrupt: (interrupt: () => void) => () => void;
  /** Milliseconds of this machine's clock. */
  readonly nowMs: () => number;
}
