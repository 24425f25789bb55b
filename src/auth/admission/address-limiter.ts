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
  /** Keys of one address past its limit that may be looked up at the same time, and of all of them. */
  readonly lookupsMax: number;
  readonly allLookupsMax: number;
}

/** The bucket of all addresses that come when the table is full. A symbol, so that no address can be equal to it. */
const SHARED = Symbol('addresses beyond the table');

interface Bucket {
  readonly name: string | typeof SHARED;
  readonly limit: number;
  readonly count: number;
}

/** An IPv6 /48 has the limits of ten addresses: it is a whole site, with 65,536 networks of which each is counted as an address. */
const SITE_LIMITS = 10;

const MINUTE_MS = 60_000;

/**
 * The limit of requests without a valid key, by client address (see `clientAddressOf`) and by IPv6 /48: in memory, per replica on
 * purpose, so that a flood of bad keys costs no database work.
 *
 * The memory is bounded: when `addressesMax` have been counted in a minute, all further ones share one bucket, with the limit of one
 * address, until the minute turns.
 */
export class AddressLimiter {
  #minute = Number.NEGATIVE_INFINITY;
  #counts = new Map<Bucket['name'], number>();
  /** Lookups under way. Apart from the counts, for a lookup may outlive its minute. */
  readonly #lookups = new Map<string, number>();
  #allLookups = 0;

  constructor(private readonly options: AddressLimiterOptions) {}

  /**
   * Counts one rejected request, or what a document costs. `allowed` is false if the limit was used up before, `isFlooding` if the address
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
      // An address past its limit uses up nothing of its site's.
      if (left > 0 || count >= limit) this.#counts.set(name, count + cost);
    }
    return {
      ...this.#stateWith(left - cost),
      allowed: left > 0,
      isFlooding: left <= -this.options.floodAfter,
    };
  }

  /** The same without a charge: for the headers, and for whether a key may be looked up without taking a lookup slot. */
  peek(address: string, nowMs: number): AddressState & { readonly isFlooding: boolean } {
    const left = leftIn(this.#bucketsOf(address, nowMs));
    return { ...this.#stateWith(left), isFlooding: left <= -this.options.floodAfter };
  }

  /**
   * Takes a place for the lookup of a well-formed key from an address past its limit. The networks of an IPv6 /48 share theirs.
   *
   * @returns what gives the place back, to be called once, or undefined when `lookupsMax` or `allLookupsMax` are taken
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

  #stateWith(left: number): AddressState {
    const resetAtMs = (this.#minute + 1) * MINUTE_MS;
    return { limit: this.options.limitPerMinute, remaining: Math.max(0, Math.floor(left)), resetAtMs };
  }

  /** What a request of the address counts in. The addresses of a site past its limit are not counted: they would fill the table. */
  #bucketsOf(address: string, nowMs: number): readonly Bucket[] {
    this.#turnTo(nowMs);
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

/** The requests that all of them allow; negative where one is past its limit. */
const leftIn = (buckets: readonly Bucket[]): number =>
  buckets.reduce((left, { limit, count }) => Math.min(left, limit - count), Infinity);

/** The /48 of an IPv6 /64, as `clientAddressOf` writes it. */
const siteOf = (address: string): string | undefined =>
  address.endsWith('::/64') ? `${address.split(':', 3).join(':')}::/48` : undefined;

/** The mean delay in milliseconds; each is longer or shorter by up to half. Well below the second of `Retry-After`. */
export const DELAY_MS = 500;

/**
 * Delays the rejections of clients that repeat rejected requests at once: each rejection costs the process as much as any response.
 *
 * @param max how many at a time; further rejections are not delayed, because each delay holds a connection
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
