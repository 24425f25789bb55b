/** The state of an address in the current minute; times are in ms of the clock passed in. */
export interface AddressState {
  readonly limit: number;
  readonly remaining: number;
  /** The end of the current minute, always later than the time passed in. */
  readonly resetAtMs: number;
}

export interface AddressLimiterOptions {
  /** Rejected requests that an address may send in a UTC clock minute. */
  readonly limitPerMinute: number;
  /** Rejected requests over the limit in one minute after which it counts as flooding. */
  readonly floodAfter: number;
  /** Addresses that are counted separately at a time. */
  readonly addressesMax: number;
  /** Concurrent key lookups of one address past its limit, and of all such addresses. */
  readonly lookupsMax: number;
  readonly allLookupsMax: number;
}

/** The shared bucket for new addresses when the table is full. A symbol, so that it never equals an address. */
const SHARED = Symbol('addresses beyond the table');

interface Bucket {
  readonly name: string | typeof SHARED;
  readonly limit: number;
  readonly count: number;
}

/** An IPv6 /48 has the limits of ten addresses: it is a whole site, with 65,536 networks, each counted as an address. */
const SITE_LIMITS = 10;

const MINUTE_MS = 60_000;

/**
 * The limit of requests without a valid key, by client address (see `clientAddressOf`) and by IPv6 /48: in memory, per replica on
 * purpose, so that a flood of bad keys costs no database work.
 *
 * Memory is bounded: after `addressesMax` addresses in a minute, all further ones share one bucket, with the limit of one
 * address, until the minute ends.
 */
export class AddressLimiter {
  #minute = Number.NEGATIVE_INFINITY;
  #counts = new Map<Bucket['name'], number>();
  /** Lookups in flight. Separate from the counts: a lookup may outlive its minute. */
  readonly #lookups = new Map<string, number>();
  #allLookups = 0;

  constructor(private readonly options: AddressLimiterOptions) {}

  /**
   * Counts one rejected request or the cost of a document. `allowed` is false if the limit was already used up; `isFlooding` if the address
   * counts as flooding.
   */
  charge(
    address: string,
    nowMs: number,
    cost = 1,
  ): AddressState & { readonly allowed: boolean; readonly isFlooding: boolean } {
    const buckets = this.#bucketsOf(address, nowMs);
    const left = leftIn(buckets);
    for (const { name, limit, count } of buckets) {
      // An address past its limit does not charge its site.
      if (left > 0 || count >= limit) this.#counts.set(name, count + cost);
    }
    return {
      ...this.#stateWith(left - cost),
      allowed: left > 0,
      isFlooding: left <= -this.options.floodAfter,
    };
  }

  /** The same without a charge: for headers, and to decide whether a lookup needs a lookup slot. */
  peek(address: string, nowMs: number): AddressState & { readonly isFlooding: boolean } {
    const left = leftIn(this.#bucketsOf(address, nowMs));
    return { ...this.#stateWith(left), isFlooding: left <= -this.options.floodAfter };
  }

  /**
   * Takes a slot for looking up a well-formed key from an address past its limit. The networks of an IPv6 /48 share slots.
   *
   * @returns a function that releases the slot, to be called once; undefined at `lookupsMax` or `allLookupsMax`
   */
  enterLookup(address: string): (() => void) | undefined {
    const name = siteOf(address) ?? address;
    const before = this.#lookups.get(name) ?? 0;
    if (before >= this.options.lookupsMax || this.#allLookups >= this.options.allLookupsMax) return undefined;
    this.#lookups.set(name, before + 1);
    this.#allLookups += 1;
    return () => {
      this.#allLookups -= 1;
      const left = (this.#lookups.get(name) ?? 0) - 1;
      if (left > 0) this.#lookups.set(name, left);
      else this.#lookups.delete(name);
    };
  }

  /** The table sizes: buckets counted in the current minute, and those with lookups in flight. */
  get size(): { readonly counted: number; readonly lookingUp: number } {
    return { counted: this.#counts.size, lookingUp: this.#lookups.size };
  }

  /**
   * A later minute starts with a new map: clearing the old one would delay every request.
   *
   * An earlier minute never clears it. Out-of-order times at a minute boundary belong to the current minute,
   * else each would reset the limit. A clock that was set back by more keeps the counts, too, but
   * assigns them to the earlier minute, else an address could wait an hour for its reset.
   */
  #advanceTo(nowMs: number): void {
    const minute = Math.floor(nowMs / MINUTE_MS);
    if (minute === this.#minute) return;
    if (minute > this.#minute) {
      this.#counts = new Map();
      this.#minute = minute;
    } else if (minute < this.#minute - 1) {
      this.#minute = minute;
    }
  }

  #stateWith(left: number): AddressState {
    const resetAtMs = (this.#minute + 1) * MINUTE_MS;
    return { limit: this.options.limitPerMinute, remaining: Math.max(0, Math.floor(left)), resetAtMs };
  }

  /** The buckets that a request is counted in. Addresses of a site past its limit are not counted: they would fill the table. */
  #bucketsOf(address: string, nowMs: number): readonly Bucket[] {
    this.#advanceTo(nowMs);
    const { limitPerMinute: limit } = this.options;
    const site = siteOf(address);
    const ofSite = site !== undefined && this.#hasRoom(site) ? [this.#bucket(site, limit * SITE_LIMITS)] : [];
    if (leftIn(ofSite) <= 0) return ofSite;
    return [this.#bucket(this.#hasRoom(address) ? address : SHARED, limit), ...ofSite];
  }

  #bucket(name: Bucket['name'], limit: number): Bucket {
    return { name, limit, count: this.#counts.get(name) ?? 0 };
  }

  #hasRoom(name: string): boolean {
    return this.#counts.size < this.options.addressesMax || this.#counts.has(name);
  }
}

/** The requests left in all buckets; negative if one is past its limit. */
const leftIn = (buckets: readonly Bucket[]): number =>
  buckets.reduce((left, { limit, count }) => Math.min(left, limit - count), Infinity);

/** The /48 of an IPv6 /64, as `clientAddressOf` writes it. */
const siteOf = (address: string): string | undefined =>
  address.endsWith('::/64') ? `${address.split(':', 3).join(':')}::/48` : undefined;

/** The mean delay in milliseconds, with ±50 % jitter. Well below the one-second minimum of `Retry-After`. */
export const DELAY_MS = 500;

/**
 * Delays the rejections of clients that repeat rejected requests at once: each rejection costs the process as much as any response.
 *
 * @param max concurrent delays; further rejections are not delayed: each delay holds a connection
 * @returns a function that resolves after the delay
 */
export function createDelay(max: number): () => Promise<void> {
  let delayed = 0;
  return async () => {
    if (delayed >= max) return;
    delayed += 1;
    await new Promise((resume) => setTimeout(resume, DELAY_MS * (0.5 + Math.random())));
    delayed -= 1;
  };
}
