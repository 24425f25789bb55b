import { issueKey } from '../auth/issue-key.js';
import type { Database } from '../database/database.js';
import { writeSamples } from './write-samples.js';

/** What a new embedded database is given, so that the first request has something to show. */
export interface FirstStart {
  readonly apiKey: string;
  readonly sampleCount: number;
}

/**
 * Gives a database without any key its sample animals with their orders, and a first key, in one transaction; a database
 * with keys is in use and is left alone (then the answer is undefined).
 */
export async function prepareFirstStart({ prisma }: Database): Promise<FirstStart | undefined> {
  return await prisma.$transaction(async (transaction) => {
    if ((await transaction.apiKey.count()) > 0) return undefined;
    const sampleCount = await writeSamples(transaction);
    const { key } = await issueKey(transaction, { name: 'First key', plan: 'pro' });
    return { apiKey: key, sampleCount };
  });
}
