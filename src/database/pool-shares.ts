/** How many connections each pool of a replica may open. */
export interface PoolShares {
  /** One: it must not wait for those that reads and writes hold. */
  readonly admission: number;
  /** Fewer than all: commits that stall keep theirs, and reads go on beside them. */
  readonly writes: number;
  /** Statements that wait for locked rows. */
  readonly retries: number;
  /** Reads, readiness and whatever else is no write of a request. */
  readonly reads: number;
}

/** Looks for lost connections, and has none open otherwise (`SessionsProbe`). */
const PROBES = 1;
const ADMISSION = 1;

/** With fewer than eight in all, one. */
const RETRIES_MAX = 2;

/** Divides `DATABASE_POOL_MAX`, at least five, so that all connections of a replica together never exceed it. */
export function shareConnections(poolMax: number): PoolShares {
  const retries = Math.min(RETRIES_MAX, Math.floor(poolMax / 4));
  const others = poolMax - PROBES - ADMISSION - retries;
  const writes = Math.floor(others / 2);
  return { admission: ADMISSION, retries, writes, reads: others - writes };
}
