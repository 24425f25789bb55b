import type { Client } from 'pg';
import type { Config } from '../../config/config.js';

export type Level = 'ok' | 'warn' | 'fail';

/** What one check found: `fail` is what keeps the service from its promises, `warn` what deserves a look. */
export interface Finding {
  readonly check: string;
  readonly level: Level;
  /** One line: what is, and what to do about it unless it is well. */
  readonly message: string;
}

/** What checks look at. */
export interface Patient {
  readonly client: Client;
  readonly config: Config;
  readonly isEmbedded: boolean;
  /** Milliseconds of this machine's clock. */
  readonly nowMs: () => number;
}

export interface Check {
  readonly name: string;
  /** Whether it needs the tables of this release. */
  readonly needsSchema: boolean;
  readonly run: (patient: Patient) => Promise<Omit<Finding, 'check'>>;
}

export const ok = (message: string): Omit<Finding, 'check'> => ({ level: 'ok', message });
export const warn = (message: string): Omit<Finding, 'check'> => ({ level: 'warn', message });
export const fail = (message: string): Omit<Finding, 'check'> => ({ level: 'fail', message });
