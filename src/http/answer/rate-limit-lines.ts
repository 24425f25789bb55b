import type { Decision, LimitWindow } from '../decision.js';

/**
 * The rate-limit headers of an answer, as lines of its head: `X-RateLimit-*` for the window with the fewest requests
 * remaining (a tie: the longer one), and all windows as draft-ietf-httpapi-ratelimit-headers-10 says.
 *
 * @param nowMs the database's clock; a reset that has passed meanwhile is told as the next second, never as the past
 */
export function rateLimitLines({ windows, retryAtMs }: Decision, nowMs: number): string {
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
  const resetSeconds = secondsOf(retryAtMs ?? tightest.resetAtMs, nowSeconds);
  return (
    `x-ratelimit-limit: ${tightest.limit}\r\n` +
    `x-ratelimit-remaining: ${tightest.remaining}\r\n` +
    `x-ratelimit-reset: ${resetSeconds}\r\n` +
    `ratelimit-policy: ${policies}\r\n` +
    `ratelimit: ${states}\r\n`
  );
}

const isTighter = (one: LimitWindow, other: LimitWindow): boolean =>
  one.remaining < other.remaining ||
  (one.remaining === other.remaining && one.windowSeconds > other.windowSeconds);

const secondsOf = (instantMs: number, nowSeconds: number): number =>
  Math.max(Math.ceil(instantMs / 1000), nowSeconds + 1);
