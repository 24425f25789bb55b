import type { IncomingHttpHeaders } from 'node:http';
import type { Headers } from '../errors/headers.js';

/** The methods of all paths. */
export const METHODS: readonly string[] = ['GET', 'HEAD', 'POST', 'PATCH', 'DELETE'];

/** The same as a header value. */
export const METHOD_LIST = METHODS.join(', ');

const EXPOSED = [
  'Deprecation',
  'ETag',
  'Idempotency-Replayed',
  'Link',
  'Location',
  'RateLimit',
  'RateLimit-Policy',
  'Retry-After',
  'Sunset',
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

/** The further headers of a preflight's response: the same for every path, because a preflight has no key. */
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
