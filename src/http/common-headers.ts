import type { FastifyReply } from 'fastify';
import type { Cors } from './cors.js';
import type { Decision, LimitWindow } from './decision.js';
import type { Clock } from './clock.js';

/** Headers of a response, by their lower-case names. */
export type Headers = Readonly<Record<string, string>>;

/** Sends a text as the JSON that it is: Fastify does not serialize strings again. */
export function asJson(reply: FastifyReply, json: string): string {
  reply.type('application/json; charset=utf-8');
  return json;
}

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

/** The headers of every response, as lines. */
export const commonLines = (
  { clock, cors }: CommonHeadersOptions,
  { id, decision, origin }: CommonHeadersInput,
): string => `${rateLimitLines(decision, clock.nowMs())}${cors.lines(origin)}x-request-id: ${id}\r\n`;

/**
 * `X-RateLimit-*` for the window with the fewest requests remaining (a tie: the longer one), and all windows as
 * draft-ietf-httpapi-ratelimit-headers-10 says.
 *
 * @param nowMs the database's clock; a reset that has passed meanwhile is reported as the next second, never as the past
 */
function rateLimitLines({ windows, retryAtMs }: Decision, nowMs: number): string {
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
  return (
    `x-ratelimit-limit: ${tightest.limit}\r\n` +
    `x-ratelimit-remaining: ${tightest.remaining}\r\n` +
    `x-ratelimit-reset: ${secondsOf(retryAtMs ?? tightest.resetAtMs, nowSeconds)}\r\n` +
    `ratelimit-policy: ${policies}\r\n` +
    `ratelimit: ${states}\r\n`
  );
}

const isTighter = (one: LimitWindow, other: LimitWindow): boolean =>
  one.remaining < other.remaining ||
  (one.remaining === other.remaining && one.windowSeconds > other.windowSeconds);

const secondsOf = (instantMs: number, nowSeconds: number): number =>
  Math.max(Math.ceil(instantMs / 1000), nowSeconds + 1);
