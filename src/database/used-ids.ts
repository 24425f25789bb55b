import { duplicatedIn } from '../errors/database-errors.js';
import type { PrismaService } from './prisma.service.js';

const SKIP_USED_IDS = 'select skip_used_ids($1::text)';

/**
 * Sends a statement that inserts rows with ids of the table's sequence, and repeats it after a lost race, which is no failure: the server
 * has rolled it back. If a row has such an id already, because an import, a replication or a caller inserted it with its id, moves the
 * sequence past the used ids first. If another unique value was inserted meanwhile, the repeated
 * statement finds it.
 *
 * @param sendBefore a moment of `performance.now()`
 * @throws NotSentError if it could not be sent again by then
 */
export async function skippingUsedIds<Result>(
  prisma: PrismaService,
  table: string,
  sendBefore: number,
  send: () => Promise<Result>,
): Promise<Result> {
  for (;;) {
    try {
      return await send();
    } catch (error) {
      const index = duplicatedIn(error);
      if (index?.startsWith(`${table}_`) !== true) throw error;
      if (index !== `${table}_pkey`) continue;
      const skip = (): Promise<unknown> => prisma.$queryRawUnsafe(SKIP_USED_IDS, table);
      await prisma.pools.main.sendBefore(SKIP_USED_IDS, sendBefore, skip);
    }
  }
}
