import { UnavailableError } from '../../src/common/errors/database-errors.js';
import { Group, type GroupOptions } from '../../src/batching/group.js';
import type { GroupTimers } from '../../src/batching/group-options.js';

/** Lets every promise that can settle do so. */
export const settled = (): Promise<void> => new Promise((resolve) => void setImmediate(resolve));

/** Time that stands still until a test moves it. */
export class FakeTimers implements GroupTimers {
  #now = 0;
  #soon: (() => void)[] = [];
  readonly #intervals = new Set<{ at: number; readonly everyMs: number; readonly task: () => void }>();

  get running(): number {
    return this.#intervals.size;
  }

  now(): number {
    return this.#now;
  }

  soon(task: () => void): void {
    this.#soon.push(task);
  }

  every(intervalMs: number, task: () => void): () => void {
    const interval = { at: this.#now + intervalMs, everyMs: intervalMs, task };
    this.#intervals.add(interval);
    return () => void this.#intervals.delete(interval);
  }

  /** Ends this turn of the event loop. */
  async turn(): Promise<void> {
    for (const task of this.#soon.splice(0)) task();
    await settled();
  }

  /** Passes time, with a turn after each timer. */
  async pass(ms: number): Promise<void> {
    const end = this.#now + ms;
    for (;;) {
      const next = [...this.#intervals].toSorted((a, b) => a.at - b.at)[0];
      if (next === undefined || next.at > end) break;
      this.#now = next.at;
      next.at += next.everyMs;
      next.task();
      await settled();
      await this.turn();
    }
    this.#now = end;
  }

  /** Passes time as a blocked event loop does: each timer that became due runs once, at the end. */
  async block(ms: number): Promise<void> {
    this.#now += ms;
    for (const interval of this.#intervals) {
      if (interval.at > this.#now) continue;
      interval.at = this.#now + interval.everyMs;
      interval.task();
    }
    await this.turn();
  }
}

/** A statement that reached the fake database and waits for the test to end it. */
export interface FakeStatement<Question> {
  readonly questions: readonly Question[];
  /** Answers each question with its own text and the number of the statement. */
  answer(): Promise<void>;
  answerWith(answers: readonly string[]): Promise<void>;
  fail(error: unknown): Promise<void>;
}

export class FakeDatabase<Question> {
  /** All statements, in the order in which they were sent. */
  readonly statements: FakeStatement<Question>[] = [];

  readonly send = (questions: readonly Question[]): Promise<readonly string[]> =>
    new Promise((resolve, reject) => {
      const number = this.statements.length;
      const answerWith = (answers: readonly string[]): Promise<void> => {
        resolve(answers);
        return settled();
      };
      this.statements.push({
        questions,
        answer: () => answerWith(questions.map((question) => `${String(question)} in ${number}`)),
        answerWith,
        fail: (error) => {
          reject(error);
          return settled();
        },
      });
    });

  get sent(): (readonly Question[])[] {
    return this.statements.map((statement) => statement.questions);
  }

  statement(number: number): FakeStatement<Question> {
    const statement = this.statements[number];
    if (statement === undefined) throw new Error(`statement ${number} was not sent`);
    return statement;
  }
}

export function fakeGroup(options: Partial<GroupOptions<string, string>> = {}): {
  group: Group<string, string>;
  timers: FakeTimers;
  database: FakeDatabase<string>;
} {
  const timers = new FakeTimers();
  const database = new FakeDatabase<string>();
  const group = new Group<string, string>({
    name: 'animals',
    send: database.send,
    sizeMax: 4,
    concurrencyMax: 1,
    waitingMax: 100,
    timeoutMs: 1000,
    onBrokenConnection: 'ask-again',
    timers,
    ...options,
  });
  return { group, timers, database };
}

/** An error that the server sends: the driver gives it a code and a severity. */
export const serverError = (sqlState: string, message = `SQLSTATE ${sqlState}`): Error =>
  Object.assign(new Error(message), { code: sqlState, severity: 'ERROR' });

/** One error for each way in which a statement can fail. */
export const failures = {
  notSent: (): Error =>
    Object.assign(new Error('connect ECONNREFUSED'), { code: 'ECONNREFUSED', syscall: 'connect' }),
  broken: (): Error => new Error('Connection terminated unexpectedly'),
  serverTimeout: (): Error => serverError('55P03', 'canceling statement due to lock timeout'),
  answered: (): Error => serverError('22003', 'out of range'),
  refused: (): Error => serverError('25006', 'read only'),
  fault: (): Error => new TypeError('rows is not iterable'),
};

/** How a question was settled, or `open`; asked for when all that can settle has settled. */
export function outcomeOf(answer: Promise<string>): () => Promise<string> {
  let outcome = 'open';
  answer.then(
    (value) => (outcome = value),
    (error: unknown) => (outcome = error instanceof UnavailableError ? error.reason : String(error)),
  );
  return async () => {
    await settled();
    return outcome;
  };
}

export const outcomes = (all: readonly (() => Promise<string>)[]): Promise<string[]> =>
  Promise.all(all.map((outcome) => outcome()));
