import type { DatabaseFailure } from './database-errors.js';

/** What becomes of questions whose connection broke under way. */
export type OnBrokenConnection =
  /** Reads: asked once more. */
  | 'ask-again'
  /** Admissions and writes: they may have committed, and must not be done twice. */
  | 'fail';

/** What becomes of items whose statement the server ended by `lock_timeout` or `statement_timeout`, and so rolled back. */
export type OnServerTimeout =
  /** They are sent again until their deadlines: one at a time, each of them would wait for the same table lock. */
  | 'together'
  /** One item's own lock may be the cause: each is sent once more without the others. */
  | 'alone';

/** How a question is asked again, if it is; its deadline bounds all its tries. */
export type NextTry = 'together' | 'alone' | 'never';

interface FailedTry {
  readonly failure: DatabaseFailure;
  /** How many questions the statement held. */
  readonly questions: number;
  /** Whether a connection broke under the question before. */
  readonly brokeBefore: boolean;
}

interface RetryRules {
  readonly onBrokenConnection: OnBrokenConnection;
  readonly onServerTimeout: OnServerTimeout;
}

/** Decides for one question of a failed statement. */
export function nextTry(
  { failure, questions, brokeBefore }: FailedTry,
  { onBrokenConnection, onServerTimeout }: RetryRules,
): NextTry {
  const mayAskAgain = onBrokenConnection === 'ask-again';
  if (failure === 'not-sent') return 'together';
  if (failure === 'server-timeout' && onServerTimeout === 'together') return 'together';
  if (failure === 'broken') return mayAskAgain && !brokeBefore ? 'together' : 'never';
  // One bad question may have failed them all. Halving would find it in fewer statements, but if it fails slowly
  // (a lock not had in time) its neighbours would wait for it in every round; alone, they pass it by.
  const oneMayBeBad =
    failure === 'answered' || failure === 'server-timeout' || (failure === 'fault' && mayAskAgain);
  return oneMayBeBad && questions > 1 ? 'alone' : 'never';
}
