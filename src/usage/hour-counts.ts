/** What became of a request: the first three of one that was admitted. */
export const USAGE_OUTCOMES = [
  'success',
  'client_error',
  'server_error',
  'limited',
  'banned',
  'unauthorized',
] as const;

export type UsageOutcome = (typeof USAGE_OUTCOMES)[number];

/** What is counted together. */
export interface HourKey {
  /** The beginning of the hour, in ms of the database's clock. */
  readonly hourMs: number;
  readonly keyId: bigint;
  /** The operationId, or `none`. */
  readonly operation: string;
  readonly outcome: UsageOutcome;
}

export interface HourCount extends HourKey {
  readonly requests: number;
  readonly totalMs: number;
}

/** Counts in memory, at most so many different ones at a time. */
export class HourCounts {
  readonly #counts = new Map<string, { -readonly [Member in keyof HourCount]: HourCount[Member] }>();

  constructor(private readonly max: number) {}

  /** Counts a request, and returns whether there was room for it. */
  add({ hourMs, keyId, operation, outcome }: HourKey, ms: number): boolean {
    const name = `${hourMs} ${keyId} ${operation} ${outcome}`;
    const count = this.#counts.get(name);
    if (count !== undefined) {
      count.requests += 1;
      count.totalMs += ms;
      return true;
    }
    if (this.#counts.size >= this.max) return false;
    this.#counts.set(name, { hourMs, keyId, operation, outcome, requests: 1, totalMs: ms });
    return true;
  }

  /** All counts, which begin anew. */
  take(): readonly HourCount[] {
    const counts = [...this.#counts.values()];
    this.#counts.clear();
    return counts;
  }
}
