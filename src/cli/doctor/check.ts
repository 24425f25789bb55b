import type { Config } from '../../config/config.js';
import type { CliContext } from '../context.js';
import type { Session } from '../session.js';

export interface Result {
  /** `fail`: the service cannot keep its promises. `warn`: it can, but an operator should look. */
  readonly level: 'ok' | 'warn' | 'fail';
  /** One line: what was found and, unless the level is `ok`, how to fix it. */
  readonly message: string;
}

export type CheckContext = Session & Pick<CliContext, 'nowMs'> & { readonly config: Config };

export type Check = (context: CheckContext) => Promise<Result>;

export const ok = (message: string): Result => ({ level: 'ok', message });
export const warn = (message: string): Result => ({ level: 'warn', message });
export const fail = (message: string): Result => ({ level: 'fail', message });

/** The first of several findings, so that a result stays one line. */
export const firstOf = ([first = '', ...rest]: readonly string[]): string =>
  rest.length === 0 ? first : `${first} and ${rest.length} more`;
