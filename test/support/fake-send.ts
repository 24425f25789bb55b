import type { LOCKED } from '../../src/batching/batcher.js';
import { BrokenConnectionError, NotSentError } from '../../src/errors/database-errors.js';

type Outcomes = readonly (string | Error | typeof LOCKED)[];

/** A statement that was sent, and that the test ends. */
export interface FakeStatement {
  readonly items: readonly string[];
  readonly sendBefore: number;
  /** Without outcomes, each item's is its own text and the number of the statement. */
  end(outcomes?: Outcomes): void;
  fail(error: unknown): void;
}

/** A `send` whose statements the test ends. */
export class FakeSend {
  readonly statements: FakeStatement[] = [];

  readonly send = (items: readonly string[], sendBefore: number): Promise<Outcomes> =>
    new Promise((resolve, reject) => {
      const number = this.statements.length;
      const own = items.map((item) => `${item} in ${number}`);
      this.statements.push({
        items,
        sendBefore,
        end: (outcomes = own) => resolve(outcomes),
        fail: reject,
      });
    });

  /** The items of each statement, such as `a b`. */
  get sent(): readonly string[] {
    return this.statements.map(({ items }) => items.join(' '));
  }

  statement(number: number): FakeStatement {
    const statement = this.statements[number];
    if (statement === undefined) throw new Error(`statement ${number} was not sent`);
    return statement;
  }
}

/** An error that the server sends: the driver gives it a code and a severity. */
export const serverError = (sqlState: string, message = `SQLSTATE ${sqlState}`): Error =>
  Object.assign(new Error(message), { code: sqlState, severity: 'ERROR' });

/** One error for each way in which a statement can fail. */
export const FAILURES = {
  'not-sent': (): Error => new NotSentError('connect ECONNREFUSED'),
  broken: (): Error => new BrokenConnectionError('Connection terminated unexpectedly'),
  'server-timeout': (): Error => serverError('55P03', 'canceling statement due to lock timeout'),
  'statement-error': (): Error => serverError('22003', 'out of range'),
  rejected: (): Error => serverError('25006', 'read only'),
  unexpected: (): Error => new TypeError('rows is not iterable'),
} as const;
