import type { Pool } from 'pg';
import type { ApiKeyHash } from '../keys/api-key.js';
import type { Batching } from '../../batching/batching.js';
import type { Batcher } from '../../batching/batcher.js';
import { keepingConnections } from '../../database/connection-pools.js';
import type { Semaphore } from '../../database/semaphore.js';
import type { PrismaService } from '../../database/prisma.service.js';
import { type AdmissionObserver, AdmissionStatement, type BanPolicy } from './admission-statement.js';
import type { DatabaseDecision } from './database-decision.js';

interface AdmissionsOptions {
  readonly batching: Batching;
  readonly prisma: PrismaService;
  readonly name: string;
  readonly pool: Pool;
  /** Of the pool, where other statements share it. */
  readonly permits?: Semaphore;
  readonly bans: BanPolicy;
  readonly warn: (message: string) => void;
  readonly observer?: AdmissionObserver | undefined;
  /** A test's time in place of the database's. */
  readonly now?: (() => Date) | undefined;
}

/**
 * Batches decisions about keys, one statement at a time, so that the earliest arrivals are admitted, also across successive statements.
 * It is no bottleneck: a connection decides several times what a process can serve. A request may wait for all of its time, because a
 * request that is counted although its result came too late is the lesser harm. After a time-out items are sent alone: the counters of
 * one key may be locked.
 */
export function batchAdmissions({
  batching,
  prisma,
  name,
  pool,
  permits,
  bans,
  warn,
  observer,
  now,
}: AdmissionsOptions): Batcher<ApiKeyHash, DatabaseDecision> {
  const source = { queryable: keepingConnections(pool), named: prisma.pools.namedStatements };
  const statement = new AdmissionStatement(source, bans, {
    warn,
    onBanStarted: (keyId, untilMs) => {
      observer?.banStarted();
      warn(`key ${keyId} is banned until ${new Date(untilMs).toISOString()} for its rejected requests`);
    },
  });
  return batching.batchWrites<ApiKeyHash, DatabaseDecision>({
    name,
    send: (hashes) => statement.decide(hashes, now?.()),
    // A key with many requests does not make those of others wait.
    keyOf: (hash) => hash,
    concurrencyMax: 1,
    permits,
    neededMs: () => 0,
    separatesTimeouts: true,
  });
}
