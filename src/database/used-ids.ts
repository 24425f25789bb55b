import { duplicatedIn, NotSentError } from '../errors/database-errors.js';
import type { PrismaService } from './prisma.service.js';

const SKIP_USED_IDS = 'select skip_used_ids($1::text)';

/**
 * Sends a statement that inserts rows with ids of the table's sequence. If a row has such an id already, because an import or a
 * replication inserted it with its id, moves the sequence past the used ids. Another value that must be unique was inserted since the
 * statement began, and is found the next time.
 *
 * @param sendBefore a moment of `performance.now()`
 * @throws NotSentError in both cases, because the statement was rolled back: it may be sent again
 */
export async function skippingUsedIds<Result>(
  prisma: PrismaService,
  table: string,
  sendBefore: number,
  send: () => Promise<Result>,
): Promise<Result> {
  try {
    return await send();
  } catch (error) {
    const index = duplicatedIn(error);
    if (index !== `${table}_pkey`)
      throw index?.startsWith(`${table}_`) === true ? new NotSentError(error) : error;
    const skip = (): Promise<unknown> => prisma.$queryRawUnsafe(SKIP_USED_IDS, table);
    await prisma.pools.main.sendBefore(SKIP_USED_IDS, sendBefore, skip);
    throw new NotSentError(error);
  }
}
