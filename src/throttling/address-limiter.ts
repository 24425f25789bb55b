/** Where an address stands in the present minute; the time is in ms of the clock that was passed in. */
export interface AddressState {
  readonly limit: number;
  readonly remaining: number;
  /** The end of the minute that was counted, always later than the time passed in. */
  readonly resetAtMs: number;
}

export interface AddressLimiterOptions {
  /** Rejected requests that an address may send in a UTC clock minute. */
  readonly limitPerMinute: number;
  /** The rejected requests past its limit in the same minute, after which it counts as flooding. */
  readonly floodAfter: number;
  /** Addresses that are counted separately at a time. */
  readonly addressesMax: number;
  /** Keys of one address past its limit that may be looked up at the same time. */
  readonly lookupsMax: number;
}

/** The bucket of all addresses that come when a table is full. A symbol, so that no address can be equal to it. */
const SHARED = Symbol('addresses beyond the table');

type Table = Map<string | typeof SHARED, number>;

const MINUTE_MS = 60_000;

/**
 * The limit of requests without a valid key, by client address (see `clientAddressOf`): in memory, per replica on
 * purpose, so that a flood of bad keys costs no database work.
 *
 * The memory is bounded: when `addressesMax` addresses have been counted in a minute, all further ones share one
 * bucket, with the limit of one address, until the minute turns.
 */
export class AddressLimiter {
  #minute = Number.NEGATIVE_INFINITY;
  #counts: Table = new Map();
  /** Lookups under way. Apart from the counts, for a lookup may outlive its minute. */
  readonly #lookups: Table = new Map();

  constructor(private readonly options: AddressLimiterOptions) {}

  /** Counts one rejected request. `allowed` is false if the limit was used up before, `floods` if the address counts as flooding. */
  charge(
    address: string,
    nowMs: number,
  ): AddressState & { readonly allowed: boolean; readonly floods: boolean } {
    this.#turnTo(nowMs);
    const { limitPerMinute: limit, floodAfter } = this.options;
    const bucket = this.#bucketIn(this.#counts, address);
    const before = this.#counts.get(bucket) ?? 0;
    this.#counts.set(bucket, before + 1);
    return {
      limit,
      remaining: Math.max(0, limit - before - 1),
      resetAtMs: this.#resetAtMs,
      allowed: before < limit,
      floods: before >= limit + floodAfter,
    };
  }

  /** The same without a charge: for the headers, and for whether a key may be looked up without taking a lookup slot. */
  peek(address: string, nowMs: number): AddressState & { readonly exhausted: boolean } {
    this.#turnTo(nowMs);
    const { limitPerMinute: limit } = this.options;
    const used = this.#counts.get(this.#bucketIn(this.#counts, address)) ?? 0;
    const remaining = Math.max(0, limit - used);
    return { limit, remaining, resetAtMs: this.#resetAtMs, exhausted: remaining === 0 };
  }

  /**
   * Takes a place for the lookup of a well-formed key from an address past its limit.
   *
   * @returns what gives the place back (calling it again does nothing), or undefined when `lookupsMax` are taken
   */
  enterLookup(address: string): (() => void) | undefined {
    const bucket = this.#bucketIn(this.#lookups, address);
    const before = this.#lookups.get(bucket) ?? 0;
    if (before >= this.options.lookupsMax) return undefined;
    this.#lookups.set(bucket, before + 1);
    let held = true;
    return () => {
      if (!held) return;
      held = false;
      const left = (this.#lookups.get(bucket) ?? 0) - 1;
      if (left > 0) this.#lookups.set(bucket, left);
      else this.#lookups.delete(bucket);
    };
  }

  /** The size in memory: buckets counted in the present minute, and with lookups under way. */
  get size(): { readonly counted: number; readonly lookingUp: number } {
    return { counted: this.#counts.size, lookingUp: this.#lookups.size };
  }

  /**
   * A later minute starts with an empty table: a new map, for clearing the old one would hold up every request.
   *
   * An earlier minute never empties it. Times that arrive out of order at the turn of a minute belong to the minute that is open,
   * else each would give the whole limit anew. A clock that was set back by more keeps the counts, too, but
   * from then on they are those of the earlier minute, else an address could wait an hour for its reset.
   */
  #turnTo(nowMs: number): void {
    const minute = Math.floor(nowMs / MINUTE_MS);
    if (minute === this.#minute) return;
    if (minute > this.#minute) {
      this.#counts = new Map();
      this.#minute = minute;
    } else if (minute < this.#minute - 1) {
      this.#minute = minute;
    }
  }

  get #resetAtMs(): number {
    return (this.#minute + 1) * MINUTE_MS;
  }

  #bucketIn(table: Table, address: string): string | typeof SHARED {
    return table.size < this.options.addressesMax || table.has(address) ? address : SHARED;
  }
}
