import type { Client } from 'pg';
import type { Config } from '../../config/config.js';

/** `fail`: the service cannot keep its promises. `warn`: it can, but somebody should look. */
export interface Result {
  readonly level: 'ok' | 'warn' | 'fail';
  /** One line: what was found and, unless it is well, what to do. */
  readonly message: string;
}

export interface CheckContext {
  readonly client: Client;
  readonly config: Config;
  readonly isEmbedded: boolean;
  /** Milliseconds of this machine's clock. */
  readonly nowMs: () => number;
}

export type Check = (context: CheckContext) => Promise<Result>;

export const ok = (message: string): Result => ({ level: 'ok', message });
export const warn = (message: string): Result => ({ level: 'warn', message });
export const fail = (message: string): Result => ({ level: 'fail', message });
