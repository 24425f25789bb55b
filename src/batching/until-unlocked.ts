import { setTimeout as delay } from 'node:timers/promises';
import { UnavailableError } from '../common/errors/database-errors.js';
import { LOCKED, LONG_LOCKED_MS, TICK_MS } from './batcher.js';

interface UntilUnlockedOptions {
  /** A moment of `performance.now()` after which the statement is not sent again. */
  readonly sendBefore: number;
  /** Called at each try after the row has been locked for `LONG_LOCKED_MS`. */
  readonly onLongLocked: () => void;
}

/**
 * Runs a statement that is not batched, and runs it again every 15 ms while it finds its row locked.
 *
 * @throws UnavailableError when the row stays locked
 */
export async function untilUnlocked<Result>(
  run: () => Promise<Result | typeof LOCKED>,
  { sendBefore, onLongLocked }: UntilUnlockedOptions,
): Promise<Result> {
  const begunAt = performance.now();
  for (;;) {
    const result = await run();
    if (result !== LOCKED) return result;
    if (performance.now() - begunAt >= LONG_LOCKED_MS) onLongLocked();
    if (performance.now() + TICK_MS > sendBefore) break;
    await delay(TICK_MS);
  }
  throw new UnavailableError('timed-out', 'the row was locked for too long');
}
