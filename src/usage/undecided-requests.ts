import { statement } from '../database/statement.js';
import type { PrismaService } from '../database/prisma.service.js';
import type { UndecidedSecret } from '../auth/admission/decision.js';
import { type HourCount, HourCounts } from './hour-counts.js';

/** The hash of a secret. */
export type Secret = UndecidedSecret['secret'];

/** Distinct secrets, hours and operations in memory, ~3 MB. */
const COUNTS_MAX = 10_000;

const KEYS_OF_SECRETS = statement(
  'keys_of_secrets',
  `
    select '\\x' || encode(hash, 'hex') as secret, api_key_id as "keyId"
    from api_key_secrets
    where hash = any ($1::bytea[])`,
);

export async function keysOfSecrets(
  prisma: Pick<PrismaService, 'pools' | 'read'>,
  secrets: readonly Secret[],
): Promise<ReadonlyMap<Secret, bigint>> {
  const rows = await prisma.pools.reads.run(() =>
    prisma.read<{ secret: Secret; keyId: bigint }>(KEYS_OF_SECRETS, [secrets]),
  );
  return new Map(rows.map(({ secret, keyId }) => [secret, keyId]));
}

/**
 * Requests without a decision, because the database was down or too many requests waited. They are counted by secret hash until
 * the database can look up the key.
 */
export class UndecidedRequests {
  readonly #counts = new HourCounts<Secret>(COUNTS_MAX);
  #unmatched = 0;

  /** @param keysOf looks up the keys of secrets; omits unknown secrets */
  constructor(
    private readonly keysOf: (secrets: readonly Secret[]) => Promise<ReadonlyMap<Secret, bigint>>,
  ) {}

  add(count: HourCount<Secret>): void {
    if (!this.#counts.add(count)) this.#unmatched += count.requests;
  }

  /** The counts of keys. If the database cannot be queried, it rejects and keeps all counts. */
  async takeByKey(): Promise<readonly HourCount[]> {
    const counts = this.#counts.take();
    if (counts.length === 0) return [];
    try {
      const keys = await this.keysOf([...new Set(counts.map(({ of }) => of))]);
      return counts.flatMap(({ of, ...count }) => {
        const keyId = keys.get(of);
        if (keyId !== undefined) return [{ ...count, of: keyId }];
        this.#unmatched += count.requests;
        return [];
      });
    } catch (error) {
      for (const count of counts) this.add(count);
      throw error;
    }
  }

  /** The requests with unknown secrets, or beyond the limit in memory, since the last call. */
  takeUnmatched(): number {
    const requests = this.#unmatched;
    this.#unmatched = 0;
    return requests;
  }
}
