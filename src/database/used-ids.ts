import { violatedUniqueIndex } from '../errors/database-errors.js';
import type { PrismaService } from './prisma.service.js';

/** A race is lost once or twice. More conflicts are no race, and must not keep the database busy. */
const TRIES_MAX = 10;

/**
 * Sends a statement that inserts rows with ids from the table's sequence, and retries it after a lost race, which is safe: the server
 * has rolled it back. If an id is already in use, because an import, replication or a caller inserted it explicitly, moves the
 * sequence past the used ids first. If another unique value was inserted meanwhile, the repeated statement finds it.
 *
 * @param sendBefore a moment of `performance.now()`
 * @throws NotSentError if it could not be sent again by then, and the server's error after `TRIES_MAX`
 */
export async function skippingUsedIds<Result>(
  prisma: PrismaService,
  table: string,
  sendBefore: number,
  send: () => Promise<Result>,
): Promise<Result> {
  for (let tries = 1; ; tries += 1) {
    try {
      return await send();
    } catch (error) {
      const index = violatedUniqueIndex(error);
      if (index?.startsWith(`${table}_`) !== true || tries === TRIES_MAX) throw error;
      if (index !== `${table}_pkey`) continue;
      await prisma.pools.main.sendBefore(sendBefore, () => prisma.$queryRaw`select skip_used_ids(${table})`);
    }
  }
}
