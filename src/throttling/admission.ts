import type { IncomingHttpHeaders } from 'node:http';
import type { ApiKeyHash } from '../auth/api-key.js';
import { type AuthenticationErrorCode, authenticationError, readCredential } from '../auth/bearer.js';
import type { Group } from '../database/group.js';
import type { AdmissionPort, Decision, LimitWindow } from '../http/decision.js';
import { ApiError } from '../errors/api-error.js';
import type { Clock } from '../http/http.module.js';

import { toApiError } from '../http/error.filter.js';
import type { AddressLimiter, AddressState } from './address-limiter.js';
import type { KeyVerdict, WindowState } from './key-verdict.js';
import { createDelay } from './delayed-rejections.js';

type Lookup = Pick<Group<ApiKeyHash, KeyVerdict>, 'ask'>;

export interface AdmissionParts {
  /** Decides about keys, many at a time. */
  readonly keys: Lookup;
  /** The same, in a queue of its own, for keys from addresses that are past their limit. */
  readonly suspects: Lookup;
  readonly addresses: AddressLimiter;
  readonly clock: Clock;
  /** Told of the database's time with each verdict. */
  readonly observe: (databaseNowMs: number) => void;
}

/** Delayed rejections at a time: as many connections as a flood may hold, also of those of a proxy that others use, too. */
const DELAYED_MAX = 100;

const MINUTE_SECONDS = 60;
const DAY_SECONDS = 86_400;

/** Decides about every request: who asks, and whether the key's plan or the client's address has a request left. */
export class Admission implements AdmissionPort {
  readonly #parts: AdmissionParts;
  readonly #delay = createDelay(DELAYED_MAX);

  constructor(parts: AdmissionParts) {
    this.#parts = parts;
  }

  async decide(headers: IncomingHttpHeaders, clientAddress: string): Promise<Decision> {
    const credential = readCredential(headers.authorization);
    if (credential === 'none') return this.#refuse(clientAddress, 'missing_api_key');
    if (credential === 'malformed') return this.#refuse(clientAddress, 'invalid_api_key');
    let verdict: KeyVerdict | undefined;
    try {
      verdict = await this.#lookUp(credential, clientAddress);
    } catch (error) {
      return { ...this.describeAddress(clientAddress), refusal: toApiError(error) };
    }
    if (verdict === undefined) return this.chargeAddress(clientAddress);
    if (verdict.state !== 'unknown') this.#parts.observe(verdict.nowMs);
    switch (verdict.state) {
      case 'unknown':
        return this.#refuse(clientAddress, 'invalid_api_key');
      case 'revoked':
        return this.#refuse(clientAddress, 'revoked_api_key');
      case 'expired':
        return this.#refuse(clientAddress, 'expired_api_key');
      case 'admitted':
      case 'limited':
      case 'banned':
        return ofKey(verdict);
    }
  }

  async chargeAddress(clientAddress: string): Promise<Decision> {
    const state = this.#parts.addresses.charge(clientAddress, this.#parts.clock.nowMs());
    if (state.floods) await this.#delay();
    const decision = ofAddress(state);
    return state.allowed ? decision : { ...decision, refusal: this.#tooMany(state.resetAtMs) };
  }

  describeAddress(clientAddress: string): Decision {
    return ofAddress(this.#parts.addresses.peek(clientAddress, this.#parts.clock.nowMs()));
  }

  /** The verdict, or undefined when the address has no place left for a lookup. */
  #lookUp(hash: ApiKeyHash, clientAddress: string): Promise<KeyVerdict | undefined> {
    const { keys, addresses, clock } = this.#parts;
    const { exhausted } = addresses.peek(clientAddress, clock.nowMs());
    return exhausted ? this.#lookUpSuspect(hash, clientAddress) : keys.ask(hash);
  }

  async #lookUpSuspect(hash: ApiKeyHash, clientAddress: string): Promise<KeyVerdict | undefined> {
    const { suspects, addresses } = this.#parts;
    const leave = addresses.enterLookup(clientAddress);
    if (leave === undefined) return undefined;
    try {
      return await suspects.ask(hash);
    } finally {
      leave();
    }
  }

  /** 401 against the address, or 429 when the address was past its limit before. */
  async #refuse(clientAddress: string, code: AuthenticationErrorCode): Promise<Decision> {
    const decision = await this.chargeAddress(clientAddress);
    return decision.refusal === undefined ? { ...decision, refusal: authenticationError(code) } : decision;
  }

  #tooMany(resetAtMs: number): ApiError {
    return refusedUntil('rate_limit_exceeded', resetAtMs, this.#parts.clock.nowMs());
  }
}

type DecidedKey = Extract<KeyVerdict, { readonly state: 'admitted' | 'limited' | 'banned' }>;

function ofKey(verdict: DecidedKey): Decision {
  const { keyId, planId, state, nowMs, retryAtMs } = verdict;
  const minute = ofWindow('minute', verdict.minute, MINUTE_SECONDS);
  const day = ofWindow('day', verdict.day, DAY_SECONDS);
  const decision: Decision = { windows: [minute, day], caller: { keyId, planId } };
  if (state === 'admitted') return decision;
  const code = state === 'banned' ? 'api_key_banned' : 'rate_limit_exceeded';
  const untilMs = retryAtMs ?? minute.resetAtMs;
  return { ...decision, retryAtMs: untilMs, refusal: refusedUntil(code, untilMs, nowMs) };
}

const ofWindow = (policy: 'minute' | 'day', state: WindowState, windowSeconds: number): LimitWindow => ({
  policy,
  windowSeconds,
  limit: state.limit,
  remaining: state.remaining,
  resetAtMs: state.resetAtMs,
});

const ofAddress = ({ limit, remaining, resetAtMs }: AddressState): Decision => ({
  windows: [{ policy: 'address', windowSeconds: MINUTE_SECONDS, limit, remaining, resetAtMs }],
});

/** 429, with the whole seconds after which the request is admitted if nobody else uses the key. */
const refusedUntil = (
  code: 'rate_limit_exceeded' | 'api_key_banned',
  untilMs: number,
  nowMs: number,
): ApiError =>
  new ApiError(code, undefined, {
    headers: { 'retry-after': String(Math.max(1, Math.ceil((untilMs - nowMs) / 1000))) },
  });
