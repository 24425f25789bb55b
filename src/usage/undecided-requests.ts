import { statement } from '../database/statement.js';
import type { PrismaService } from '../prisma/prisma.service.js';
import type { UndecidedSecret } from '../throttling/decision.js';
import { type HourCount, HourCounts } from './hour-counts.js';

/** The hash of one. */
export type Secret = UndecidedSecret['secret'];

/** Different secrets, hours and operations in memory, some 3 MB. */
const COUNTS_MAX = 10_000;

const KEYS_OF_SECRETS = statement(
  'keys_of_secrets',
  `
    select '\\x' || encode(hash, 'hex') as secret, api_key_id as "keyId"
    from api_key_secrets
    where hash = any ($1::bytea[])`,
);

/**
 * Requests that nobody could decide about, because the database was away or too many waited. They are counted by the hash of their secret
 * until the database can say whose it is.
 */
export class UndecidedRequests {
  readonly #counts = new HourCounts<Secret>(COUNTS_MAX);
  #ofNoKey = 0;

  constructor(private readonly prisma: Pick<PrismaService, 'connections' | 'read'>) {}

  add(count: HourCount<Secret>): void {
    if (!this.#counts.add(count)) this.#ofNoKey += count.requests;
  }

  /** What belongs to keys. Rejects, with nothing lost, where the database cannot say so. */
  async takeThoseOfKeys(): Promise<readonly HourCount[]> {
    const counts = this.#counts.take();
    if (counts.length === 0) return [];
    try {
      const keys = await this.#keysOf(counts.map(({ of }) => of));
      return counts.flatMap(({ of, ...count }) => {
        const keyId = keys.get(of);
        if (keyId !== undefined) return [{ ...count, of: keyId }];
        this.#ofNoKey += count.requests;
        return [];
      });
    } catch (error) {
      for (const count of counts) this.add(count);
      throw error;
    }
  }

  /** How many belonged to no key, or were too many to count by theirs. */
  takeThoseOfNoKey(): number {
    const requests = this.#ofNoKey;
    this.#ofNoKey = 0;
    return requests;
  }

  async #keysOf(secrets: readonly Secret[]): Promise<ReadonlyMap<Secret, bigint>> {
    const { connections } = this.prisma;
    const rows = await connections.reads.run(() =>
      this.prisma.read<{ secret: Secret; keyId: bigint }>(KEYS_OF_SECRETS, [[...new Set(secrets)]]),
    );
    return new Map(rows.map(({ secret, keyId }) => [secret, keyId]));
  }
}
