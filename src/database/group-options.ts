import type { DatabaseFailure } from './database-errors.js';
import type { OnBrokenConnection, OnServerTimeout } from './group-retry.js';
import type { GroupTimers } from './group-timers.js';

export interface GroupOptions<Question, Answer> {
  /** For metrics and messages. */
  readonly name: string;
  /**
   * Sends one statement for all questions and resolves to one answer each, in the same order. It must settle when its result
   * arrives or its connection is known to be dead, because it keeps one of the places under way until then. What needs
   * several statements and fails between them rejects with `PartlyAnswered`, so that nothing is done twice.
   *
   * @param sendBefore milliseconds on the batch's clock: a statement that has no connection by then must not be sent
   */
  readonly send: (questions: readonly Question[], sendBefore: number) => Promise<readonly Answer[]>;
  /** Questions per statement. So many go at once; fewer wait for what else arrives in this turn of the event loop. */
  readonly sizeMax: number;
  /** Statements under way. */
  readonly concurrencyMax: number;
  /** Who may wait for a statement, each of those who share a question counted; past it a question is refused at once. */
  readonly waitingMax: number;
  /** The longest that an item without a deadline of its own waits; it may be given up `SWEEP_MS` earlier, but not later. */
  readonly timeoutMs: number;
  /**
   * For writes: the time after which the server has ended a statement that does not reach its commit. A statement is sent only
   * while so much time is left to each of its items: no item is rejected first and written later.
   */
  readonly endsWithinMs?: number;
  /** Questions of equal keys share one answer, where the later one arrived before the statement was sent. */
  readonly shareKey?: (question: Question) => string | undefined;
  /** Items of different keys take turns in statements, so that many of one key do not make those of another wait. */
  readonly fairKey?: (question: Question) => string;
  readonly onBrokenConnection: OnBrokenConnection;
  /** Default: `together`. */
  readonly onServerTimeout?: OnServerTimeout;
  /** Is told of each statement when it has ended. Must not throw. */
  readonly onStatement?: (report: StatementReport) => void;
  /** What a question is asked in (its request's trace), for the report of its statement. Must not throw. */
  readonly contextOf?: () => unknown;
  readonly timers?: GroupTimers;
}

export interface StatementReport {
  readonly group: string;
  readonly questions: number;
  /** The questions themselves, in the order in which they were sent. */
  readonly asked: readonly AskedQuestion[];
  /** Milliseconds, on the group's clock. */
  readonly sentAt: number;
  readonly durationMs: number;
  /** How the statement failed. Asking again mends most failures, so this may be the only word of them. */
  readonly failure: DatabaseFailure | undefined;
  readonly error: unknown;
}

export interface AskedQuestion {
  /** Milliseconds, on the group's clock. One that is asked again keeps the time of its first asking. */
  readonly askedAt: number;
  /** As the group's `contextOf` told it, of the first who asked. */
  readonly context: unknown;
}
