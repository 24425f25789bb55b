import type { IncomingHttpHeaders } from 'node:http';
import type { Clock } from '../auth/admission/clock.js';
import type { AdmissionDecision, LimitWindow } from '../auth/admission/decision.js';
import type { Headers } from '../errors/api-error.js';

/**
 * The headers of every response: `X-RateLimit-*` for the window with the fewest requests remaining (a tie: the longer one), all
 * windows as draft-ietf-httpapi-ratelimit-headers-11 says, CORS and the request id.
 *
 * A reset that has already passed is reported as the next second.
 */
export function commonHeaders(
  { clock, cors }: { readonly clock: Clock; readonly cors: Cors },
  requestId: string,
  { windows, retryAtMs }: AdmissionDecision,
  origin: string | undefined,
): Headers {
  const nowSeconds = Math.floor(clock.nowMs() / 1000);
  let [tightest] = windows;
  let policies = '';
  let states = '';
  for (const window of windows) {
    const { policy, limit, windowSeconds, remaining, resetAtMs } = window;
    if (isTighter(window, tightest)) tightest = window;
    const comma = policies === '' ? '' : ', ';
    policies += `${comma}"${policy}";q=${limit};w=${windowSeconds}`;
    states += `${comma}"${policy}";r=${remaining};t=${secondsOf(resetAtMs, nowSeconds) - nowSeconds}`;
  }
  // Assigned, because copying it with a spread cost 5 % of a request's CPU time.
  return Object.assign(
    {
      'x-ratelimit-limit': String(tightest.limit),
      'x-ratelimit-remaining': String(tightest.remaining),
      'x-ratelimit-reset': String(secondsOf(retryAtMs ?? tightest.resetAtMs, nowSeconds)),
      'ratelimit-policy': policies,
      ratelimit: states,
      'x-request-id': requestId,
    },
    cors.headers(origin),
  );
}

const isTighter = (one: LimitWindow, other: LimitWindow): boolean =>
  one.remaining < other.remaining ||
  (one.remaining === other.remaining && one.windowSeconds > other.windowSeconds);

const secondsOf = (instantMs: number, nowSeconds: number): number =>
  Math.max(Math.ceil(instantMs / 1000), nowSeconds + 1);

/** The methods of all paths. */
export const METHODS: readonly string[] = ['GET', 'HEAD', 'POST', 'PUT', 'PATCH', 'DELETE'];

/** The same as a header value. */
export const METHOD_LIST = METHODS.join(', ');

const EXPOSED = [
  'Accept-Encoding',
  'Accept-Patch',
  'Allow',
  'Deprecation',
  'ETag',
  'Idempotency-Replayed',
  'Link',
  'Location',
  'RateLimit',
  'RateLimit-Policy',
  'Retry-After',
  'Sunset',
  'Vary',
  'WWW-Authenticate',
  'X-RateLimit-Limit',
  'X-RateLimit-Remaining',
  'X-RateLimit-Reset',
  'X-Request-Id',
].join(', ');

/** The CORS headers of the Fetch standard. The service uses no cookies, so `*` is safe. */
export class Cors {
  readonly #origins: ReadonlySet<string> | undefined;

  constructor(origins: '*' | readonly string[]) {
    this.#origins = origins === '*' ? undefined : new Set(origins);
  }

  /** The headers for the `Origin` of a request; none if there is none, or if it may not read the response. */
  headers(origin: string | undefined): Headers {
    if (origin === undefined) return {};
    if (this.#origins === undefined) return ANY_ORIGIN;
    return this.#origins.has(origin) ? headersFor(origin) : {};
  }

  /**
   * The `Vary` header, if there is one: with a list of origins it contains `Origin`.
   *
   * @param headers other request headers that the response depends on
   */
  vary(...headers: readonly (string | undefined)[]): Headers {
    const by = [...headers, this.#origins && 'Origin'].filter((name) => name !== undefined);
    return by.length === 0 ? {} : { vary: by.join(', ') };
  }
}

const headersFor = (origin: string): Headers => ({
  'access-control-allow-origin': origin,
  'access-control-expose-headers': EXPOSED,
});

const ANY_ORIGIN = headersFor('*');

/** Additional headers of a preflight response: the same for every path, because a preflight has no key. */
export const PREFLIGHT_HEADERS = {
  'access-control-allow-methods': METHOD_LIST,
  'access-control-allow-headers':
    'Authorization, baggage, Content-Type, Idempotency-Key, If-Match, If-None-Match, traceparent, tracestate, X-Request-Id',
  // Chromium's own maximum.
  'access-control-max-age': '7200',
};

/** Whether a request is a CORS preflight. Any other `OPTIONS` is an ordinary request. */
export const isPreflight = (method: string | undefined, headers: IncomingHttpHeaders): boolean =>
  method === 'OPTIONS' &&
  headers.origin !== undefined &&
  headers['access-control-request-method'] !== undefined;
