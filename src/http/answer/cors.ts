import type { IncomingHttpHeaders } from 'node:http';
import type { Headers } from '../headers.js';

export type CorsOrigins = '*' | readonly string[];

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

/** The CORS answers of the Fetch standard. No cookie is used, so `*` gives nothing away. */
export class Cors {
  readonly #origins: ReadonlySet<string> | undefined;

  constructor(origins: CorsOrigins) {
    this.#origins = origins === '*' ? undefined : new Set(origins);
  }

  /**
   * What every answer carries. With a list of origins the answer differs by origin, and says so to caches.
   *
   * @param vary what the answer differs by already
   */
  headers(origin: string | undefined, vary?: unknown): Headers {
    if (this.#origins === undefined) return ANY_ORIGIN;
    const differs = { vary: typeof vary === 'string' ? `${vary}, Origin` : 'Origin' };
    if (origin === undefined || !this.#origins.has(origin)) return differs;
    return { ...differs, 'access-control-allow-origin': origin, 'access-control-expose-headers': EXPOSED };
  }
}

/** What a preflight's answer carries besides: the same for every path, for nobody has shown a key yet. */
export const PREFLIGHT_HEADERS: Headers = {
  'access-control-allow-methods': 'GET, HEAD, POST, PATCH',
  'access-control-allow-headers':
    'Authorization, Content-Type, Idempotency-Key, If-None-Match, traceparent, X-Request-Id',
  // Chromium's own maximum: nobody asks less often.
  'access-control-max-age': '7200',
};

/** Whether a request is a CORS preflight. Any other `OPTIONS` is an ordinary request. */
export const isPreflight = (method: string | undefined, headers: IncomingHttpHeaders): boolean =>
  method === 'OPTIONS' &&
  headers.origin !== undefined &&
  headers['access-control-request-method'] !== undefined;

const ANY_ORIGIN: Headers = {
  'access-control-allow-origin': '*',
  'access-control-expose-headers': EXPOSED,
};
