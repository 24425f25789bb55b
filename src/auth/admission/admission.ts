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
import { type AdmissionDecision, type LimitWindow, rejectionOf, retryLaterError } from './decision.js';
import { RecentSecrets } from './recent-secrets.js';

/** Addresses counted separately in a minute: 7 MB for IPv4, 17 MB for IPv6, and far more than a replica can serve 401s to. */
const ADDRESSES_MAX = 100_000;

/** The docs page is twenty requests. Without a limit, one address could fetch 200 KB endlessly. */
const DOCUMENTS_PER_MINUTE = 300;

/** Ten a second for a whole minute: a client with just a wrong key does not exceed its limit by that much. */
const FLOOD_AFTER = 600;

/** Concurrent key lookups of one address past its limit, and of all such addresses: eight statements. */
const LOOKUPS_MAX = 32;
const ALL_LOOKUPS_MAX = 256;

/** Concurrent delayed rejections, so that a flood cannot hold all connections of a proxy. */
const DELAYED_MAX = 100;

/** Methods allowed for a read-only key. */
const READING: ReadonlySet<string> = new Set(['GET', 'HEAD']);

const MINUTE_SECONDS = 60;

type AdmissionLimits = BanPolicy & Pick<Config['limits'], 'addressLimitPerMinute'>;

/**
 * Decides about every request: whose key it is, and whether the key's plan or the client's address has requests left. No promise
 * rejects: an error becomes a rejection. Rejections may be delayed, which slows down floods.
 */
@Injectable()
export class Admission {
  readonly #keys: Batcher<ApiKeyHash, KeyDecision>;
  /** For keys that were not recently admitted, from addresses past their limit. */
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

  /** Decides about a request by its `Authorization` header, and counts it exactly once. */
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
    if (decision === undefined) return await this.#rejectLookup(clientAddress, undecided());
    if (decision.state === 'admitted') {
      this.#recent.add(secret, this.clock.nowMs());
      // So that a read-only key learns nothing about other routes. The request is counted.
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

  /** Counts a public document, or a fraction of one, against the address; separate from the limit of requests without a valid key. */
  chargeDocument(clientAddress: string, cost: number): AdmissionDecision {
    return this.#ofAddress(this.#documents.charge(clientAddress, this.clock.nowMs(), cost), 'documents');
  }

  /** The state of an address, without charging it: for preflights. */
  describeAddress(clientAddress: string): AdmissionDecision {
    return this.#ofAddress(this.#addresses.peek(clientAddress, this.clock.nowMs()));
  }

  /**
   * The decision, or undefined if the address is past its limit and has too many lookups in flight. A recently admitted
   * secret uses the normal queue, whatever else its address has sent.
   */
  #lookUp(secret: ApiKeyHash, clientAddress: string): Promise<KeyDecision | undefined> {
    const nowMs = this.clock.nowMs();
    const isFirst =
      this.#recent.has(secret, nowMs) || this.#addresses.peek(clientAddress, nowMs).remaining > 0;
    return isFirst ? this.#keys.load(secret) : this.#lookUpLowPriority(secret, clientAddress);
  }

  async #lookUpLowPriority(secret: ApiKeyHash, clientAddress: string): Promise<KeyDecision | undefined> {
    const leave = this.#addresses.enterLookup(clientAddress);
    if (leave === undefined) return undefined;
    try {
      return await this.#lowPriorityKeys.load(secret);
    } finally {
      leave();
    }
  }

  /** 503 to a key that may be valid. No lookup is made, and its address is not charged. */
  async #rejectLookup(
    clientAddress: string,
    rejectedKey: NonNullable<AdmissionDecision['rejectedKey']>,
  ): Promise<AdmissionDecision> {
    const state = this.#addresses.peek(clientAddress, this.clock.nowMs());
    if (state.isFlooding) await this.#delay();
    const error = new UnavailableError('overloaded', 'too many keys of the address await a lookup');
    const decision = { ...this.#ofAddress(state), rejectedKey };
    return { ...decision, state: 'limited', rejection: toApiError(error), isLookupRejected: true };
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
    const rejection = retryLaterError('rate_limit_exceeded', why, resetAtMs, this.clock.nowMs());
    return { state: 'limited', windows: [window], rejection };
  }

  /**
   * Batches decisions about keys, one statement at a time, so that the earliest arrivals are admitted, even across statements.
   * It is no bottleneck: a connection decides several times what a process can serve. A request may wait until its deadline: a
   * request that is counted although its result came too late does less harm. After a time-out, items are sent alone: the counters of
   * one key may be locked.
   *
   * @param permits of the pool, if other statements share it
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
      // A test's clock applies to the statement, too.
      send: (secrets) =>
        statement.decide(
          secrets,
          this.clock === this.databaseClock ? undefined : new Date(this.clock.nowMs()),
        ),
      // A key with many requests does not delay other keys.
      keyOf: (secret) => secret,
      concurrencyMax: 1,
      permits,
      neededMs: () => 0,
      retriesTimeoutsAlone: true,
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
