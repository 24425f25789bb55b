import type { IncomingMessage } from 'node:http';
import { Inject, Injectable } from '@nestjs/common';
import type { Pool } from 'pg';
import type { Batcher } from '../../batching/batcher.js';
import { Batching } from '../../batching/batching.js';
import type { Config } from '../../config/config.js';
import { CONFIG, LOGGER, type Logger } from '../../config/config.module.js';
import { PrismaService } from '../../database/prisma.service.js';
import type { Semaphore } from '../../database/semaphore.js';
import { ApiError } from '../../errors/api-error.js';
import { UnavailableError } from '../../errors/database-errors.js';
import { toApiError } from '../../errors/error.filter.js';
import {
  type ApiKeyHash,
  type AuthenticationErrorCode,
  authenticationError,
  readCredential,
  readPrefix,
} from '../keys/api-key.js';
import { AddressLimiter, type AddressState, createDelay } from './address-limiter.js';
import {
  ADMISSION_OBSERVERS,
  type AdmissionObserver,
  type BanPolicy,
  AdmissionStatement,
  type InvalidSecret,
  type KeyDecision,
} from './admission-statement.js';
import { Clock, DatabaseClock } from './clock.js';
import { type AdmissionDecision, type LimitWindow, rejectionOf, rejectionUntil } from './decision.js';
import { RecentSecrets } from './recent-secrets.js';

/** Addresses that are counted apart in a minute: 7 MB with IPv4 and 17 with IPv6, and far more than a replica can serve with 401s. */
const ADDRESSES_MAX = 100_000;

/** The docs page is twenty requests. Without a limit one address could have 200 KB sent without end. */
const DOCUMENTS_PER_MINUTE = 300;

/** Ten a second, for a whole minute: a program with a wrong key is not rejected so often past its limit. */
const FLOOD_AFTER = 600;

/** Keys of one address past its limit that are looked up at the same time, and of all such addresses: eight statements. */
const LOOKUPS_MAX = 32;
const ALL_LOOKUPS_MAX = 256;

/** Delayed rejections at a time, so that a flood cannot hold every connection of a proxy. */
const DELAYED_MAX = 100;

/** What a key that may only read may do. */
const READING: ReadonlySet<string> = new Set(['GET', 'HEAD']);

const MINUTE_SECONDS = 60;

type AdmissionLimits = BanPolicy & Pick<Config['limits'], 'addressLimitPerMinute'>;

/**
 * Decides about every request: whose key it has, and whether the key's plan or the client's address has a request left. No promise
 * rejects: an error becomes a rejection. Rejections may be delayed, which slows down floods.
 */
@Injectable()
export class Admission {
  readonly #keys: Batcher<ApiKeyHash, KeyDecision>;
  /** For keys that were not admitted lately, from addresses that are past their limit. */
  readonly #lowPriorityKeys: Batcher<ApiKeyHash, KeyDecision>;
  readonly #recent = new RecentSecrets();
  readonly #addresses: AddressLimiter;
  readonly #documents = addressLimiter(DOCUMENTS_PER_MINUTE);
  readonly #delay = createDelay(DELAYED_MAX);

  constructor(
    private readonly batching: Batching,
    private readonly prisma: PrismaService,
    @Inject(CONFIG) private readonly config: { readonly limits: AdmissionLimits },
    @Inject(LOGGER) private readonly logger: Pick<Logger, 'warn'>,
    private readonly clock: Clock,
    private readonly databaseClock: DatabaseClock,
    @Inject(ADMISSION_OBSERVERS) private readonly observers: readonly AdmissionObserver[],
  ) {
    const { admission, main, reads } = prisma.pools;
    this.#addresses = addressLimiter(config.limits.addressLimitPerMinute);
    this.#keys = this.#batch('admission', { pool: admission });
    this.#lowPriorityKeys = this.#batch('low_priority_admission', { pool: main, permits: reads });
  }

  /** Decides about a request by its `Authorization` header, and counts it: once a request, never twice. */
  async decide(
    { method = '', headers: { authorization } }: Pick<IncomingMessage, 'method' | 'headers'>,
    clientAddress: string,
  ): Promise<AdmissionDecision> {
    const secret = readCredential(authorization);
    if (secret === 'none') return await this.#reject(clientAddress, 'missing_api_key');
    if (secret === 'malformed') return await this.#reject(clientAddress, 'invalid_api_key');
    const undecided = () => ({ keyPrefix: readPrefix(authorization), secret });
    let decision: KeyDecision | undefined;
    try {
      decision = await this.#lookUp(secret, clientAddress);
    } catch (error) {
      const ofAddress = this.describeAddress(clientAddress);
      return { ...ofAddress, state: 'undecided', rejectedKey: undecided(), rejection: toApiError(error) };
    }
    if (decision === undefined) return await this.#crowdOut(clientAddress, undecided());
    if (decision.state === 'admitted') {
      this.#recent.add(secret, this.clock.nowMs());
      // So that a key that may only read learns nothing about other routes. The request counts.
      const isRejected = decision.caller?.isReadOnly === true && !READING.has(method);
      return isRejected ? { ...decision, rejection: new ApiError('read_only_api_key') } : decision;
    }
    if ('windows' in decision) return { ...decision, rejection: rejectionOf(decision) };
    this.#recent.remove(secret);
    return await this.#reject(clientAddress, CODES[decision.state], decision);
  }

  /** Counts bytes that never became a request against their address. */
  async chargeAddress(clientAddress: string): Promise<AdmissionDecision> {
    const state = this.#addresses.charge(clientAddress, this.clock.nowMs());
    if (state.isFlooding) await this.#delay();
    return this.#ofAddress(state);
  }

  /** Counts a public document, or the share of one, against the address, in a limit apart from that of requests without a valid key. */
  chargeDocument(clientAddress: string, cost: number): AdmissionDecision {
    return this.#ofAddress(this.#documents.charge(clientAddress, this.clock.nowMs(), cost), 'documents');
  }

  /** The state of an address, without counting: for preflights. */
  describeAddress(clientAddress: string): AdmissionDecision {
    return this.#ofAddress(this.#addresses.peek(clientAddress, this.clock.nowMs()));
  }

  /**
   * The decision, or undefined when the address is past its limit and has as many lookups in flight as it may have. A secret that was
   * admitted lately waits with the others, whatever else its address has sent.
   */
  #lookUp(secret: ApiKeyHash, clientAddress: string): Promise<KeyDecision | undefined> {
    const nowMs = this.clock.nowMs();
    const isFirst =
      this.#recent.has(secret, nowMs) || this.#addresses.peek(clientAddress, nowMs).remaining > 0;
    return isFirst ? this.#keys.load(secret) : this.#lookUpLast(secret, clientAddress);
  }

  async #lookUpLast(secret: ApiKeyHash, clientAddress: string): Promise<KeyDecision | undefined> {
    const leave = this.#addresses.enterLookup(clientAddress);
    if (leave === undefined) return undefined;
    try {
      return await this.#lowPriorityKeys.load(secret);
    } finally {
      leave();
    }
  }

  /** 503 to a key that may be valid. It costs no lookup, and its address is not charged. */
  async #crowdOut(
    clientAddress: string,
    rejectedKey: NonNullable<AdmissionDecision['rejectedKey']>,
  ): Promise<AdmissionDecision> {
    const state = this.#addresses.peek(clientAddress, this.clock.nowMs());
    if (state.isFlooding) await this.#delay();
    const error = new UnavailableError('overloaded', 'too many keys of the address wait for a lookup');
    const decision = { ...this.#ofAddress(state), rejectedKey };
    return { ...decision, state: 'limited', rejection: toApiError(error), isCrowdedOut: true };
  }

  /** 401 against the address, or 429 if the address had already used up its limit. */
  async #reject(
    clientAddress: string,
    code: AuthenticationErrorCode,
    invalid: InvalidSecret = { state: 'unknown' },
  ): Promise<AdmissionDecision> {
    const decision = { ...invalid, ...(await this.chargeAddress(clientAddress)) };
    if (decision.rejection !== undefined) return decision;
    return { ...decision, state: invalid.state, rejection: authenticationError(code) };
  }

  #ofAddress(
    { limit, remaining, resetAtMs, allowed = true }: AddressState & { readonly allowed?: boolean },
    policy: LimitWindow['policy'] = 'address',
  ): AdmissionDecision {
    const window = { policy, windowSeconds: MINUTE_SECONDS, limit, remaining, resetAtMs };
    if (allowed) return { state: 'admitted', windows: [window] };
    const what =
      policy === 'documents'
        ? 'documents of this minute for'
        : 'requests of this minute without a valid key from';
    const why = `The ${limit} ${what} this address are used up.`;
    const rejection = rejectionUntil('rate_limit_exceeded', why, resetAtMs, this.clock.nowMs());
    return { state: 'limited', windows: [window], rejection };
  }

  /**
   * Batches decisions about keys, one statement at a time, so that the earliest arrivals are admitted, also across successive statements.
   * It is no bottleneck: a connection decides several times what a process can serve. A request may wait for all of its time, because a
   * request that is counted although its result came too late is the lesser harm. After a time-out items are sent alone: the counters of
   * one key may be locked.
   *
   * @param permits of the pool, where other statements share it
   */
  #batch(
    name: string,
    { pool, permits }: { readonly pool: Pool; readonly permits?: Semaphore | undefined },
  ): Batcher<ApiKeyHash, KeyDecision> {
    const warn = (message: string): void => this.logger.warn(message);
    const source = { queryable: pool, named: this.prisma.pools.namedStatements };
    const statement = new AdmissionStatement(source, this.config.limits, {
      warn,
      observe: (nowMs) => this.databaseClock.observe(nowMs),
      onBanStarted: (keyId, untilMs) => {
        for (const observer of this.observers) observer.banStarted();
        warn(`key ${keyId} is banned until ${new Date(untilMs).toISOString()} for its rejected requests`);
      },
    });
    return this.batching.batchWrites<ApiKeyHash, KeyDecision>({
      name,
      // A test's clock goes for the statement as well.
      send: (secrets) =>
        statement.decide(
          secrets,
          this.clock === this.databaseClock ? undefined : new Date(this.clock.nowMs()),
        ),
      // A key with many requests does not make those of others wait.
      keyOf: (secret) => secret,
      concurrencyMax: 1,
      permits,
      neededMs: () => 0,
      separatesTimeouts: true,
    });
  }
}

const CODES = {
  unknown: 'invalid_api_key',
  revoked: 'revoked_api_key',
  expired: 'expired_api_key',
} as const satisfies Record<InvalidSecret['state'], AuthenticationErrorCode>;

const addressLimiter = (limitPerMinute: number): AddressLimiter =>
  new AddressLimiter({
    limitPerMinute,
    floodAfter: FLOOD_AFTER,
    addressesMax: ADDRESSES_MAX,
    lookupsMax: LOOKUPS_MAX,
    allLookupsMax: ALL_LOOKUPS_MAX,
  });
