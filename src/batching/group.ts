import {
  asUnavailable,
  classifyDatabaseError,
  UnavailableError,
  type DatabaseFailure,
} from '../common/errors/database-errors.js';
import { type Asked, Line } from './group-line.js';
import {
  type GroupOptions,
  type GroupTimers,
  nextTry,
  PartlyAnswered,
  systemTimers,
} from './group-options.js';

export type { AskedQuestion, GroupOptions, StatementReport } from './group-options.js';

/** How often deadlines are looked at: one timer for the group while it has work, instead of one for each question. */
export const SWEEP_MS = 25;

/**
 * The pause after a connection broke or could not be made, in which the pool notices which of its others are gone too. The same
 * after a time-out of the server, whose cause lasts: without the pause a short time-out would be a busy loop.
 */
export const REST_MS = 25;

interface Statement<Question, Answer> {
  readonly asked: readonly Asked<Question, Answer>[];
  readonly sentAt: number;
}

/**
 * Joins questions that arrive together into one statement, and gives each its own answer or error.
 *
 * - A statement starts as soon as fewer than `concurrencyMax` are under way, with the earliest questions, and only after all of
 *   them arrived: each answer is as fresh as if it had been asked alone.
 * - A statement is sent only while each of its items has `endsWithinMs` left.
 * - Each question is settled once, by its deadline: with its answer, with the database's error about itself, or with an
 *   `UnavailableError`.
 * - A statement keeps its place until it settles, also when all its items were given up: it may be in its commit.
 * - After a connection failure or a time-out of the server one statement at a time is tried until one comes through.
 */
export class Group<Question, Answer> {
  readonly #options: GroupOptions<Question, Answer>;
  readonly #timers: GroupTimers;
  readonly #line = new Line<Question, Answer>();
  readonly #underWay = new Set<Statement<Question, Answer>>();
  #trouble: { readonly error: unknown; readonly restUntil: number } | undefined;
  #sendDue = false;
  #stopSweeping: (() => void) | undefined;
  #closing = false;

  constructor(options: GroupOptions<Question, Answer>) {
    this.#options = options;
    this.#timers = options.timers ?? systemTimers;
  }

  get name(): string {
    return this.#options.name;
  }

  /** Questions that wait for a statement now. */
  get waiting(): number {
    return this.#line.askers;
  }

  /** How many of those that wait now are sent before this one would be. */
  aheadOf(question: Question): number {
    return this.#line.aheadOf(this.#options.fairKey?.(question));
  }

  /** Statements under way now. */
  get underWay(): number {
    return this.#underWay.size;
  }

  /**
   * Rejects with the database's error about this question, or with an `UnavailableError`.
   *
   * @param deadline milliseconds on the batch's clock (`performance.now()`); without it, `timeoutMs` from now
   */
  ask(question: Question, deadline?: number): Promise<Answer> {
    const { shareKey, fairKey, waitingMax, sizeMax, contextOf, timeoutMs } = this.#options;
    if (this.#closing) return Promise.reject(this.#unavailable('closing', 'is closing'));
    if (this.waiting >= waitingMax)
      return Promise.reject(this.#unavailable('overloaded', 'the queue is full'));
    const now = this.#timers.now();
    const asked = this.#line.join(
      question,
      { shareKey: shareKey?.(question), fairKey: fairKey?.(question) },
      now,
      deadline ?? now + timeoutMs,
    );
    if (contextOf !== undefined) asked.context ??= contextOf();
    this.#stopSweeping ??= this.#timers.every(SWEEP_MS, this.#sweep);
    if (this.#line.questions >= sizeMax && this.#placesLeft > 0) this.#sendNow();
    else this.#sendSoon();
    return asked.answer;
  }

  /** Refuses new questions, and resolves when all that were asked are settled: by the latest of their deadlines. */
  async close(): Promise<void> {
    this.#closing = true;
    const asked = [...this.#line, ...[...this.#underWay].flatMap((statement) => statement.asked)];
    await Promise.allSettled(asked.map((one) => one.answer));
  }

  get #endsWithinMs(): number {
    return this.#options.endsWithinMs ?? 0;
  }

  get #placesLeft(): number {
    return (this.#trouble === undefined ? this.#options.concurrencyMax : 1) - this.#underWay.size;
  }

  #sendSoon(): void {
    if (this.#sendDue || this.#line.isEmpty || this.#placesLeft <= 0) return;
    this.#sendDue = true;
    this.#timers.soon(this.#sendNow);
  }

  readonly #sendNow = (): void => {
    this.#sendDue = false;
    const now = this.#timers.now();
    if (this.#trouble !== undefined && now < this.#trouble.restUntil) return; // the sweep will come back to it
    this.#giveUp(this.#line.takeDueBefore(now + this.#endsWithinMs));
    while (!this.#line.isEmpty && this.#placesLeft > 0) {
      const statement = { asked: this.#line.take(this.#options.sizeMax), sentAt: now };
      this.#underWay.add(statement);
      void this.#carry(statement);
    }
  };

  async #carry(statement: Statement<Question, Answer>): Promise<void> {
    const { asked } = statement;
    try {
      const sendBefore = asked.reduce((earliest, one) => Math.min(earliest, one.deadline), Infinity);
      const answers = await this.#options.send(
        asked.map((one) => one.question),
        sendBefore - this.#endsWithinMs,
      );
      if (answers.length !== asked.length) {
        throw new Error(`${this.name}: ${answers.length} results for ${asked.length} items`);
      }
      this.#succeed(statement, answers);
    } catch (error) {
      if (error instanceof PartlyAnswered) this.#failPartly(statement, error);
      else this.#fail(statement, classifyDatabaseError(error), error);
    }
  }

  #failPartly(statement: Statement<Question, Answer>, { answers, cause }: PartlyAnswered<Answer>): void {
    answers.forEach((answer, i) => {
      if (answer !== undefined) statement.asked[i]?.resolve(answer);
    });
    this.#fail(statement, classifyDatabaseError(cause), cause);
  }

  #succeed(statement: Statement<Question, Answer>, answers: readonly Answer[]): void {
    this.#underWay.delete(statement);
    this.#trouble = undefined;
    let i = 0;
    for (const answer of answers) statement.asked[i++]?.resolve(answer);
    this.#end(statement);
  }

  #fail(statement: Statement<Question, Answer>, failure: DatabaseFailure, error: unknown): void {
    const { onBrokenConnection, onServerTimeout = 'together' } = this.#options;
    this.#underWay.delete(statement);
    const isServerBusy = failure === 'server-timeout' && onServerTimeout === 'together';
    if (failure === 'not-sent' || failure === 'broken' || isServerBusy) {
      this.#trouble = { error, restUntil: this.#timers.now() + REST_MS };
    } else if (failure !== 'unexpected') {
      this.#trouble = undefined; // the database answered
    }
    const told = asUnavailable(error);
    const questions = statement.asked.length;
    const again: Asked<Question, Answer>[] = [];
    for (const one of statement.asked) {
      if (!one.open) continue;
      const next = nextTry(
        { failure, questions, brokeBefore: one.broke },
        { onBrokenConnection, onServerTimeout },
      );
      if (next === 'never') {
        one.reject(told);
        continue;
      }
      one.alone ||= next === 'alone';
      one.broke ||= failure === 'broken';
      again.push(one);
    }
    this.#line.putBack(again);
    this.#end(statement, failure, error);
  }

  #end(statement: Statement<Question, Answer>, failure?: DatabaseFailure, error?: unknown): void {
    this.#sendSoon();
    const durationMs = this.#timers.now() - statement.sentAt;
    this.#options.onStatement?.({
      group: this.name,
      questions: statement.asked.length,
      asked: statement.asked,
      sentAt: statement.sentAt,
      durationMs,
      failure,
      error,
    });
  }

  readonly #sweep = (): void => {
    // Whoever would be late at the next sweep is due at this one.
    const next = this.#timers.now() + SWEEP_MS;
    this.#giveUp(this.#line.takeDueBefore(next + this.#endsWithinMs));
    let isOpen = false;
    for (const { asked } of this.#underWay) {
      this.#giveUp(asked.filter((one) => one.open && one.deadline < next));
      isOpen ||= asked.some((one) => one.open);
    }
    this.#sendSoon();
    if (this.#line.isEmpty && !isOpen) {
      this.#stopSweeping?.();
      this.#stopSweeping = undefined;
    }
  };

  #giveUp(due: readonly Asked<Question, Answer>[]): void {
    if (due.length === 0) return;
    const error = this.#unavailable('timed-out', 'no result in time');
    for (const one of due) one.reject(error);
  }

  #unavailable(reason: UnavailableError['reason'], why: string): UnavailableError {
    return new UnavailableError(reason, `${this.name}: ${why}`, { cause: this.#trouble?.error });
  }
}
