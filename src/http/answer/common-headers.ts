import type { Clock } from '../clock.js';
import type { Decision, LimitWindow } from '../decision.js';
import type { Headers } from '../headers.js';
import type { Cors } from './cors.js';

export interface CommonHeadersOptions {
  /** Limits and removal dates go by it. */
  readonly clock: Clock;
  readonly cors: Cors;
}

/** What the common headers of a response tell. */
export interface Told {
  /** The identifier of the request. */
  readonly id: string;
  readonly decision: Decision;
  /** Where the page comes from that sent the request, as far as its browser tells. */
  readonly origin?: string | undefined;
}

/** The headers that every response has, whoever makes it. */
export const commonHeaders = (
  { clock, cors }: CommonHeadersOptions,
  { id, decision, origin }: Told,
): Headers => ({
  ...rateLimitHeaders(decision, clock.nowMs()),
  ...cors.headers(origin),
  'x-request-id': id,
});

/**
 * `X-RateLimit-*` for the window with the fewest requests remaining (a tie: the longer one), and all windows as
 * draft-ietf-httpapi-ratelimit-headers-10 says.
 *
 * @param nowMs the database's clock; a reset that has passed meanwhile is told as the next second, never as the past
 */
function rateLimitHeaders({ windows, retryAtMs }: Decision, nowMs: number): Headers {
  const nowSeconds = Math.floor(nowMs / 1000);
  let tightest: LimitWindow = windows[0];
  let policies = '';
  let states = '';
  for (const window of windows) {
    if (window !== tightest && isTighter(window, tightest)) tightest = window;
    const separator = policies === '' ? '' : ', ';
    policies += `${separator}"${window.policy}";q=${window.limit};w=${window.windowSeconds}`;
    states += `${separator}"${window.policy}";r=${window.remaining};t=${secondsOf(window.resetAtMs, nowSeconds) - nowSeconds}`;
  }
  return {
    'x-ratelimit-limit': String(tightest.limit),
    'x-ratelimit-remaining': String(tightest.remaining),
    'x-ratelimit-reset': String(secondsOf(retryAtMs ?? tightest.resetAtMs, nowSeconds)),
    'ratelimit-policy': policies,
    ratelimit: states,
  };
}

const isTighter = (one: LimitWindow, other: LimitWindow): boolean =>
  one.remaining < other.remaining ||
  (one.remaining === other.remaining && one.windowSeconds > other.windowSeconds);

const secondsOf = (instantMs: number, nowSeconds: number): number =>
  Math.max(Math.ceil(instantMs / 1000), nowSeconds + 1);
