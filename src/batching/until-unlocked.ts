import { asUnavailable, classifyDatabaseError, UnavailableError } from '../common/errors/database-errors.js';
import type { PrismaService } from '../prisma/prisma.service.js';
import type { Statement } from '../prisma/statement.js';
import { within } from '../prisma/within.js';
import { LOCKED, LONG_LOCKED_MS, TICK_MS } from './batcher.js';

interface UntilUnlockedOptions {
  /** A moment of `performance.now()` after which the statement is not sent again. */
  readonly sendBefore: number;
  /** Called at each try after the row has been locked for `LONG_LOCKED_MS`. */
  readonly onLongLocked: () => void;
}

/**
 * Runs a statement that is not batched, and runs it again every 15 ms while it finds its row locked, is not sent, or is rolled back by
 * a time-out of the server, as for the lock of a table.
 *
 * @throws UnavailableError when its time is over
 */
export async function untilUnlocked<Result>(
  run: () => Promise<Result | typeof LOCKED>,
  { sendBefore, onLongLocked }: UntilUnlockedOptions,
): Promise<Result> {
  const begunAt = performance.now();
  for (;;) {
    let failure: unknown = new UnavailableError('timed-out', 'the row was locked for too long');
    const result = await run().catch((error: unknown) => {
      if (!['not-sent', 'server-timeout'].includes(classifyDatabaseError(error))) throw error;
      failure = asUnavailable(error);
      return LOCKED;
    });
    if (result !== LOCKED) return result as Result;
    if (performance.now() - begunAt >= LONG_LOCKED_MS) onLongLocked();
    if (performance.now() + TICK_MS > sendBefore) throw failure;
    await new Promise((resolve) => setTimeout(resolve, TICK_MS));
  }
}

/**
 * Sends a statement that writes and is not batched, until no row that it needs is locked. Resolves to its first row, if it has one.
 *
 * @param deadline a moment of `performance.now()`
 * @throws UnavailableError when its time is over
 */
export function writeUntilUnlocked<Row extends object>(
  prisma: PrismaService,
  { statement, values, isLocked }: WriteUntilUnlocked<Row>,
  deadline: number,
): Promise<Row | undefined> {
  const { connections } = prisma;
  const sendBefore = deadline - connections.endsWithinMs;
  const run = async (): Promise<Row | typeof LOCKED | undefined> => {
    const [row] = await prisma.write<Row>(statement, values, sendBefore);
    return row !== undefined && isLocked(row) ? LOCKED : row;
  };
  const onLongLocked = (): void => connections.reportLocks();
  return within(deadline - performance.now(), untilUnlocked(run, { sendBefore, onLongLocked }));
}

interface WriteUntilUnlocked<Row> {
  readonly statement: Statement;
  readonly values: readonly unknown[];
  readonly isLocked: (row: Row) => boolean;
}
