export const HOUR_MS = 3_600_000;

/** The outcome of a request: the first three for admitted requests. */
export const USAGE_OUTCOMES = [
  'success',
  'client_error',
  'server_error',
  'limited',
  'banned',
  'suspended',
  'unauthorized',
  'undecided',
] as const;

export type UsageOutcome = (typeof USAGE_OUTCOMES)[number];

/** Requests that are counted together: of a key, of a secret whose key is not known yet, or of no key. */
export interface HourCount<Caller = bigint | undefined> {
  /** The beginning of the hour, in ms of the database's clock. */
  readonly hourMs: number;
  /** Undefined for requests that were rejected by their client address. */
  readonly of: Caller;
  /** The operationId, or `none`. */
  readonly operation: string;
  readonly outcome: UsageOutcome;
  readonly requests: number;
  readonly totalMs: number;
  /** The highest count of the key's minute window when one was admitted; 0 for rejected requests. */
  readonly minutePeak: number;
}

type Writable<Type> = { -readonly [Member in keyof Type]: Type[Member] };

/** Counts in memory, with a maximum number of distinct ones. */
export class HourCounts<Caller extends bigint | string | undefined> {
  readonly #counts = new Map<string, Writable<HourCount<Caller>>>();

  constructor(private readonly max: number) {}

  /** Adds requests, and returns whether there was room for them. */
  add(added: HourCount<Caller>): boolean {
    const name = `${added.hourMs} ${added.of} ${added.operation} ${added.outcome}`;
    const count = this.#counts.get(name);
    if (count !== undefined) {
      count.requests += added.requests;
      count.totalMs += added.totalMs;
      count.minutePeak = Math.max(count.minutePeak, added.minutePeak);
      return true;
    }
    if (this.#counts.size >= this.max) return false;
    this.#counts.set(name, { ...added });
    return true;
  }

  /** Returns and clears all counts. */
  take(): readonly HourCount<Caller>[] {
    const counts = [...this.#counts.values()];
    this.#counts.clear();
    return counts;
  }
}

/** The UTC days that the usage of a key covers, including today. */
export const USAGE_DAYS = 31;

/** The hours, likewise. */
export const USAGE_HOURS = 24;
