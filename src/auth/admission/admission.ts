import type { IncomingHttpHeaders } from 'node:http';
import type { ApiKeyHash } from '../keys/api-key.js';
import {
  type AuthenticationErrorCode,
  authenticationError,
  readCredential,
  readPrefix,
} from '../keys/api-key.js';
import type { Batcher } from '../../batching/batcher.js';
import type { AdmissionPort, AdmissionDecision, LimitWindow, UndecidedSecret } from './decision.js';
import { ApiError } from '../../errors/api-error.js';
import { UnavailableError } from '../../errors/database-errors.js';
import type { Clock } from './clock.js';
import type { Headers } from '../../errors/headers.js';
import { toApiError } from '../../errors/error.filter.js';
import type { AddressLimiter, AddressState } from './address-limiter.js';
import type { DatabaseDecision } from './database-decision.js';
import { createDelay } from './delayed-rejections.js';
import type { RecentSecrets } from './recent-secrets.js';

export interface AdmissionParts {
  /** Decides about keys, many at a time. */
  readonly keys: Pick<Batcher<ApiKeyHash, DatabaseDecision>, 'load'>;
  /** The same, in a queue of its own, for keys that were not admitted lately, from addresses that are past their limit. */
  readonly lowPriorityKeys: AdmissionParts['keys'];
  readonly recent: RecentSecrets;
  readonly addresses: AddressLimiter;
  /** Of public documents. */
  readonly documents: AddressLimiter;
  readonly clock: Clock;
  /** Learns the database's time from each decision. */
  readonly databaseClock: { observe(databaseNowMs: number): void };
}

/** Delayed rejections at a time, so that a flood cannot hold every connection of a proxy. */
const DELAYED_MAX = 100;

const MINUTE_SECONDS = 60;

/** Decides about every request: whose key it has, and whether the key's plan or the client's address has a request left. */
export class Admission implements AdmissionPort {
  readonly #delay = createDelay(DELAYED_MAX);

  constructor(private readonly parts: AdmissionParts) {}

  async decide(headers: IncomingHttpHeaders, clientAddress: string): Promise<AdmissionDecision> {
    const credential = readCredential(headers.authorization);
    if (credential === 'none') return this.#reject(clientAddress, 'missing_api_key');
    if (credential === 'malformed') return this.#reject(clientAddress, 'invalid_api_key');
    let decision: DatabaseDecision | undefined;
    try {
      decision = await this.#lookUp(credential, clientAddress);
    } catch (error) {
      return {
        ...this.describeAddress(clientAddress),
        rejectedKey: { keyPrefix: readPrefix(headers.authorization), secret: credential },
        rejection: toApiError(error),
      };
    }
    if (decision === undefined) {
      const keyPrefix = readPrefix(headers.authorization);
      return await this.#crowdOut(clientAddress, { keyPrefix, secret: credential });
    }
    if (decision.state === 'unknown') return this.#reject(clientAddress, 'invalid_api_key');
    this.parts.databaseClock.observe(decision.nowMs);
    if ('planId' in decision) return ofKey(decision);
    const { state, keyId } = decision;
    return { ...(await this.#reject(clientAddress, `${state}_api_key`)), rejectedKey: { keyId } };
  }

  async chargeAddress(clientAddress: string): Promise<AdmissionDecision> {
    const { addresses, clock } = this.parts;
    const state = addresses.charge(clientAddress, clock.nowMs());
    if (state.isFlooding) await this.#delay();
    return rejectedUnlessAllowed(ofAddress(state), state, clock.nowMs());
  }

  chargeDocument(clientAddress: string, cost: number): AdmissionDecision {
    const nowMs = this.parts.clock.nowMs();
    const state = this.parts.documents.charge(clientAddress, nowMs, cost);
    return rejectedUnlessAllowed(ofAddress(state, 'documents'), state, nowMs);
  }

  describeAddress(clientAddress: string): AdmissionDecision {
    return ofAddress(this.parts.addresses.peek(clientAddress, this.parts.clock.nowMs()));
  }

  /** The decision, or undefined when the address is past its limit and has as many lookups in flight as it may have. */
  async #lookUp(hash: ApiKeyHash, clientAddress: string): Promise<DatabaseDecision | undefined> {
    const { recent, clock } = this.parts;
    const decision = await this.#load(hash, clientAddress);
    if (decision?.state === 'admitted') recent.add(hash, clock.nowMs());
    else if (decision !== undefined && !('planId' in decision)) recent.remove(hash);
    return decision;
  }

  /** A secret that was admitted lately waits with the others, whatever else its address has sent. */
  async #load(hash: ApiKeyHash, clientAddress: string): Promise<DatabaseDecision | undefined> {
    const { keys, lowPriorityKeys, recent, addresses, clock } = this.parts;
    const nowMs = clock.nowMs();
    if (!addresses.peek(clientAddress, nowMs).exhausted || recent.has(hash, nowMs))
      return await keys.load(hash);
    const leave = addresses.enterLookup(clientAddress);
    if (leave === undefined) return undefined;
    try {
      return await lowPriorityKeys.load(hash);
    } finally {
      leave();
    }
  }

  /** 503 to a key that may be valid. It costs no lookup, and its address is not charged. */
  async #crowdOut(clientAddress: string, rejectedKey: UndecidedSecret): Promise<AdmissionDecision> {
    const state = this.parts.addresses.peek(clientAddress, this.parts.clock.nowMs());
    if (state.isFlooding) await this.#delay();
    const error = new UnavailableError('overloaded', 'too many keys of the address wait for a lookup');
    return {
      ...ofAddress(state),
      rejectedKey,
      rejection: toApiError(error),
      isCrowdedOut: true,
    };
  }

  /** 401 against the address, or 429 if the address had already used up its limit. */
  async #reject(clientAddress: string, code: AuthenticationErrorCode): Promise<AdmissionDecision> {
    const decision = await this.chargeAddress(clientAddress);
    return decision.rejection === undefined
      ? { ...decision, rejection: authenticationError(code) }
      : decision;
  }
}

function ofKey(of: Extract<DatabaseDecision, { readonly planId: string }>): AdmissionDecision {
  const { keyId, planId, isReadOnly, state, nowMs, minute, day, retryAtMs } = of;
  const caller = isReadOnly === true ? { keyId, planId, isReadOnly } : { keyId, planId };
  const decision: AdmissionDecision = { windows: [minute, day], caller };
  if (state === 'admitted') return decision;
  if (state === 'suspended') {
    const retry = retryAtMs === undefined ? {} : { headers: retryAfter(retryAtMs, nowMs) };
    const rejection = new ApiError('api_key_suspended', undefined, retry);
    return { ...decision, ...(retryAtMs !== undefined && { retryAtMs }), rejection };
  }
  const untilMs = retryAtMs ?? minute.resetAtMs;
  if (state === 'banned') {
    const rejection = rejectionUntil(
      'api_key_banned',
      'The API key is banned, because it went on after 429.',
      untilMs,
      nowMs,
    );
    return { ...decision, retryAtMs: untilMs, rejectedBy: 'ban', rejection };
  }
  const rejectedBy = day.remaining === 0 ? 'day' : 'minute';
  const { limit } = rejectedBy === 'day' ? day : minute;
  const requests = limit === 1 ? 'one request' : `${limit} requests`;
  const why = `The key's ${requests} of this ${rejectedBy} ${limit === 1 ? 'is' : 'are'} used up.`;
  const rejection = rejectionUntil('rate_limit_exceeded', why, untilMs, nowMs);
  return { ...decision, retryAtMs: untilMs, rejectedBy, rejection };
}

const ofAddress = (
  { limit, remaining, resetAtMs }: AddressState,
  policy: LimitWindow['policy'] = 'address',
): AdmissionDecision => ({
  windows: [{ policy, windowSeconds: MINUTE_SECONDS, limit, remaining, resetAtMs }],
});

const rejectedUnlessAllowed = (
  decision: AdmissionDecision,
  { allowed, resetAtMs }: ReturnType<AddressLimiter['charge']>,
  nowMs: number,
): AdmissionDecision =>
  allowed
    ? decision
    : {
        ...decision,
        rejection: rejectionUntil('rate_limit_exceeded', whyOf(decision.windows[0]), resetAtMs, nowMs),
      };

const whyOf = ({ limit, policy }: LimitWindow): string =>
  policy === 'documents'
    ? `The ${limit} documents of this minute for this address are used up.`
    : `The ${limit} requests of this minute without a valid key from this address are used up.`;

/** 429, with the whole seconds after which the request is admitted if no other uses the key. */
function rejectionUntil(
  code: 'rate_limit_exceeded' | 'api_key_banned',
  why: string,
  untilMs: number,
  nowMs: number,
): ApiError {
  const seconds = secondsUntil(untilMs, nowMs);
  const message = `${why} Try again in ${seconds} second${seconds === 1 ? '' : 's'}.`;
  return new ApiError(code, message, { headers: retryAfter(untilMs, nowMs) });
}

const secondsUntil = (untilMs: number, nowMs: number): number =>
  Math.max(1, Math.ceil((untilMs - nowMs) / 1000));

const retryAfter = (untilMs: number, nowMs: number): Headers => ({
  'retry-after': String(secondsUntil(untilMs, nowMs)),
});
