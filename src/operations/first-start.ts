import { withPrismaWithoutTimeouts } from '../database/prisma-without-timeouts.js';
import { writeSamples } from './write-samples.js';

/** What a new embedded database is given, so that the first request has something to show. */
export interface FirstStart {
  readonly apiKey: string;
  readonly sampleCount: number;
}

/** Prisma's own 5 s are little for a new database on a busy machine. */
const TIMEOUTS = { maxWait: 60_000, timeout: 60_000 };

/**
 * Gives a database without any key its sample animals with their orders, and a first key, in one transaction; a database
 * with keys is in use and is left alone.
 *
 * @param report gets what the database was given, or undefined, as soon as the transaction is committed: nothing may come
 *   between a key and its print
 */
export async function prepareFirstStart(
  databaseUrl: string,
  report: (firstStart: FirstStart | undefined) => void,
): Promise<void> {
  await withPrismaWithoutTimeouts(databaseUrl, async (prisma) => {
    const firstStart = await prisma.$transaction(async (transaction) => {
      if ((await transaction.apiKey.count()) > 0) return undefined;
      const sampleCount = await writeSamples(transaction);
      const [{ key }] = await transaction.$queryRaw<[{ key: string }]>`
        select key from issue_api_key(name => 'First key', plan => 'pro')`;
      return { apiKey: key, sampleCount };
    }, TIMEOUTS);
    report(firstStart);
  });
}
