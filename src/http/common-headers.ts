import type { Clock } from '../common/clock.js';
import type { Cors } from './cors.js';
import type { Decision, LimitWindow } from '../common/decision.js';
import type { Headers } from '../common/headers.js';

export interface CommonHeadersOptions {
  /** The clock of limits and removal dates. */
  readonly clock: Clock;
  readonly cors: Cors;
}

interface CommonHeadersInput {
  /** The identifier of the request. */
  readonly id: string;
  readonly decision: Decision;
  /** The `Origin` header of the request. */
  readonly origin?: string | undefined;
}

/** The headers of every response. */
export const commonHeaders = (
  { clock, cors }: CommonHeadersOptions,
  { id, decision, origin }: CommonHeadersInput,
): Headers => ({
  ...rateLimitHeaders(decision, clock.nowMs()),
  ...cors.headers(origin),
  'x-request-id': id,
});

/**
 * `X-RateLimit-*` for the window with the fewest requests remaining (a tie: the longer one), and all windows as
 * draft-ietf-httpapi-ratelimit-headers-11 says.
 *
 * @param nowMs the database's clock; a reset that has passed meanwhile is reported as the next second, never as the past
 */
function rateLimitHeaders({ windows, retryAtMs }: Decision, nowMs: number): Headers {
  const nowSeconds = Math.floor(nowMs / 1000);
  const tightest = windows.reduce((one, other) => (isTighter(other, one) ? other : one));
  return {
    'x-ratelimit-limit': String(tightest.limit),
    'x-ratelimit-remaining': String(tightest.remaining),
    'x-ratelimit-reset': String(secondsOf(retryAtMs ?? tightest.resetAtMs, nowSeconds)),
    'ratelimit-policy': windows
      .map(({ policy, limit, windowSeconds }) => `"${policy}";q=${limit};w=${windowSeconds}`)
      .join(', '),
    ratelimit: windows
      .map(
        ({ policy, remaining, resetAtMs }) =>
          `"${policy}";r=${remaining};t=${secondsOf(resetAtMs, nowSeconds) - nowSeconds}`,
      )
      .join(', '),
  };
}

const isTighter = (one: LimitWindow, other: LimitWindow): boolean =>
  one.remaining < other.remaining ||
  (one.remaining === other.remaining && one.windowSeconds > other.windowSeconds);

const secondsOf = (instantMs: number, nowSeconds: number): number =>
  Math.max(Math.ceil(instantMs / 1000), nowSeconds + 1);
