import type { ApiKeyHash } from '../keys/api-key.js';
import { ApiError, type Headers } from '../../errors/api-error.js';
import type { KeyWindow } from './windows.js';

/** One window of a rate limit as it stood after this request was decided; times in ms of the database's clock. */
export interface LimitWindow {
  readonly policy: KeyWindow | 'address' | 'documents';
  readonly limit: number;
  readonly windowSeconds: number;
  readonly remaining: number;
  readonly resetAtMs: number;
}

/** The key that a request was admitted for. */
export interface Caller {
  readonly keyId: bigint;
  readonly planId: string;
  /** Read-only. */
  readonly isReadOnly?: true;
}

/** What is known of a secret that was not looked up: its first 12 characters, and its hash. */
export interface UndecidedSecret {
  readonly keyPrefix: string;
  readonly secret: ApiKeyHash;
}

/**
 * The result of admission, a label of metrics. `limited` by a key's plan was counted as a rejection; `banned` and `suspended` were
 * not stored. `unknown` includes requests without a key, `admitted` those that need none.
 *
 * @public for the check of the documents
 */
export const ADMISSION_STATES = [
  'admitted',
  'limited',
  'banned',
  'suspended',
  'revoked',
  'expired',
  'unknown',
  'undecided',
] as const;

export type AdmissionState = (typeof ADMISSION_STATES)[number];

/** The result of admission for one request. */
export interface AdmissionDecision {
  readonly state: AdmissionState;
  /** The windows in the rate-limit headers: those of the key, or that of the address. */
  readonly windows: readonly [LimitWindow, ...LimitWindow[]];
  /** The key, if valid, even if the request is rejected. */
  readonly caller?: Caller;
  /** For logs and usage: a known key that is not usable, or a secret that was not looked up. */
  readonly rejectedKey?: { readonly keyId: bigint } | UndecidedSecret;
  /** When the database decided to reject a request with a valid key. */
  readonly nowMs?: number;
  /**
   * When a rejected request would be admitted if no other came: the latest reset of the exhausted windows, or the end of the ban or
   * suspension. Sent as `X-RateLimit-Reset` if later than the window's end. Absent if a suspension lasts longer than a day.
   */
  readonly retryAtMs?: number;
  /** Why the request must be rejected (401, 403, 429 or 503); absent when it is admitted. */
  readonly rejection?: ApiError;
  /** Rejected with 503 because too many keys of its address await a lookup, not because the database could not decide. */
  readonly isLookupRejected?: true;
}

/** A key's window, from its decision. */
export function windowOf({ windows }: Pick<AdmissionDecision, 'windows'>, name: KeyWindow): LimitWindow {
  const window = windows.find(({ policy }) => policy === name);
  if (window === undefined) throw new Error(`the decision has no window ${name}`);
  return window;
}

/** The exhausted window that resets last, or a ban. Undefined if the request is admitted, or rejected for another reason. */
export function exceededBy({ state, windows }: AdmissionDecision): LimitWindow['policy'] | 'ban' | undefined {
  if (state === 'banned') return 'ban';
  return state === 'limited' ? lastToReset(windows).policy : undefined;
}

/** Whether a valid key is over its limit: PlanThrottlerGuard throws these rejections, ApiKeyGuard all others. */
export const isOverLimit = (decision: AdmissionDecision): boolean =>
  decision.caller !== undefined && exceededBy(decision) !== undefined;

/** The exhausted window that resets last; if two reset together, the longer. */
const lastToReset = (windows: AdmissionDecision['windows']): LimitWindow =>
  windows.reduce((last, window) => {
    if (window.remaining > 0) return last;
    return last.remaining > 0 || window.resetAtMs >= last.resetAtMs ? window : last;
  });

/** Why a valid key is rejected: its limit, a ban, or a suspension. */
export function rejectionOf({ state, windows, nowMs = 0, retryAtMs }: AdmissionDecision): ApiError {
  const untilMs = retryAtMs ?? windows[0].resetAtMs;
  switch (state) {
    case 'suspended':
      return new ApiError('api_key_suspended', undefined, {
        headers: retryAtMs === undefined ? {} : retryAfter(retryAtMs, nowMs),
      });
    case 'banned':
      return retryLaterError(
        'api_key_banned',
        'The API key is banned: it ignored 429 responses.',
        untilMs,
        nowMs,
      );
    case 'limited': {
      const { policy, limit } = lastToReset(windows);
      const requests = limit === 1 ? 'one request' : `${limit} requests`;
      const why = `The key's ${requests} of this ${policy} ${limit === 1 ? 'is' : 'are'} used up.`;
      return retryLaterError('rate_limit_exceeded', why, untilMs, nowMs);
    }
    case 'admitted':
    case 'revoked':
    case 'expired':
    case 'unknown':
    case 'undecided':
      break;
    default:
      // The compiler reports a missing state.
      state satisfies never;
  }
  throw new Error(`a decision that is ${state} rejects no valid key`);
}

/** 429, with the seconds after which the request is admitted if no other comes, at most a day. */
export function retryLaterError(
  code: 'rate_limit_exceeded' | 'api_key_banned',
  why: string,
  untilMs: number,
  nowMs: number,
): ApiError {
  const seconds = secondsUntil(untilMs, nowMs);
  const when =
    seconds > RETRY_AFTER_MAX
      ? `at ${new Date(untilMs).toISOString().replace('.000', '')}`
      : `in ${seconds} second${seconds === 1 ? '' : 's'}`;
  const message = `${why} Try again ${when}.`;
  return new ApiError(code, message, { headers: retryAfter(untilMs, nowMs) });
}

const secondsUntil = (untilMs: number, nowMs: number): number =>
  Math.max(1, Math.ceil((untilMs - nowMs) / 1000));

/** Seconds. Client timers overflow after 25 days, so the request would be repeated at once. */
const RETRY_AFTER_MAX = 86_400;

const retryAfter = (untilMs: number, nowMs: number): Headers => ({
  'retry-after': String(Math.min(RETRY_AFTER_MAX, secondsUntil(untilMs, nowMs))),
});
