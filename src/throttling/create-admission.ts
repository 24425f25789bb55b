import type { Pool } from 'pg';
import type { ApiKeyHash } from '../auth/api-key.js';
import type { LimitsConfig } from '../config/config.js';
import type { Group } from '../batching/group.js';
import { groupWrites } from '../batching/groups.js';
import type { ConnectionPools } from '../prisma/connection-pools.js';
import type { Clock } from '../http/http.module.js';
import { DatabaseClock } from './database-clock.js';
import { AddressLimiter } from './address-limiter.js';
import { Admission } from './admission.js';
import { type AdmissionRepair, AdmissionStatement } from './admission-statement.js';
import type { KeyVerdict } from './key-verdict.js';
import { shedLoad } from './load-shedding.js';

export interface AdmissionOptions {
  readonly connections: ConnectionPools;
  readonly limits: LimitsConfig;
  readonly warn: (message: string) => void;
  readonly onBanStarted?: (() => void) | undefined;
  /** A test's clock; without it the time is the database's. */
  readonly clock?: Clock;
}

/** Addresses that are counted apart in a minute: 7 MB with IPv4 and 17 with IPv6, and far more than a replica can serve with 401s. */
const ADDRESSES_MAX = 100_000;

/** Ten a second, for a whole minute: a program with a wrong key is not rejected so often past its limit. */
const FLOOD_AFTER = 600;

/** Keys of one address past its limit that are looked up at the same time. */
const LOOKUPS_MAX = 4;

/** The wiring of admission: the statement, its two queues, the limit of addresses, and the clock they all go by. */
export function createAdmission(options: AdmissionOptions): {
  readonly admission: Admission;
  readonly clock: Clock;
  /** Sets the clock by the database's before the first answer; while the database is away, the first verdict will. */
  readonly setClock: () => Promise<void>;
} {
  const { connections, limits, warn, onBanStarted, clock: testClock } = options;
  const databaseClock = new DatabaseClock(() => performance.now(), Date.now);
  const clock = testClock ?? databaseClock;
  const queue = (name: string, pool: Pool): Group<ApiKeyHash, KeyVerdict> => {
    const source = { queryable: pool, named: connections.namedStatements };
    const statement = new AdmissionStatement(source, limits, {
      onRepair: (repair) => warn(explain(repair)),
      onBanStarted,
    });
    const send = (hashes: readonly ApiKeyHash[]): Promise<readonly KeyVerdict[]> =>
      statement.decide(hashes, testClock && new Date(testClock.nowMs()));
    // One statement at a time: what is granted goes to the earliest arrivals, also past one statement. It is no bottleneck: a
    // connection decides several times what a process can serve. A burst may wait for all of its time: a request that is counted
    // although its result came too late is the lesser harm. After a time-out the items go alone: the counters of one key may be locked.
    return groupWrites(connections, {
      name,
      send,
      // A key with many requests does not make those of others wait.
      fairKey: (hash) => hash,
      concurrencyMax: 1,
      endsWithinMs: 0,
      onServerTimeout: 'alone',
    });
  };
  const admission = new Admission({
    keys: shedLoad(queue('admission', connections.admission)),
    suspects: queue('admission_of_suspects', connections.reads),
    addresses: new AddressLimiter({
      limitPerMinute: limits.addressLimitPerMinute,
      floodAfter: FLOOD_AFTER,
      addressesMax: ADDRESSES_MAX,
      lookupsMax: LOOKUPS_MAX,
    }),
    clock,
    observe: (databaseNowMs) => databaseClock.observe(databaseNowMs),
  });
  const setClock = async (): Promise<void> => {
    const { rows } = await connections.reads
      .query<{ nowMs: number }>('select (extract(epoch from clock_timestamp()) * 1000)::float8 as "nowMs"')
      .catch(() => ({ rows: [] }));
    for (const { nowMs } of rows) databaseClock.observe(nowMs);
  };
  return { admission, clock, setClock };
}

function explain(repair: AdmissionRepair): string {
  switch (repair.kind) {
    case 'clock-went-back':
      return `the counts of key ${repair.keyId} were ahead of the database's clock and began anew: was its clock set back?`;
    case 'counters-missing':
      return `the counters of the keys ${repair.keyIds.join(', ')} were missing and were made anew: who deleted them?`;
  }
}
