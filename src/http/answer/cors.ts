import type { IncomingHttpHeaders } from 'node:http';
import type { Headers } from '../headers.js';
import { METHODS } from '../methods.js';

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

  /** The headers for this origin; none when it may not read the response. */
  headers(origin: string | undefined): Headers {
    if (this.#origins === undefined) return ANY_ORIGIN;
    return origin !== undefined && this.#origins.has(origin) ? headersFor(origin) : {};
  }

  /**
   * The header that tells caches what the response differs by: with a list of origins by origin, too.
   *
   * @param header what the response differs by besides
   */
  vary(header?: string): Headers {
    const by = [header, this.#origins && 'Origin'].filter((name) => name !== undefined);
    return by.length === 0 ? {} : { vary: by.join(', ') };
  }
}

const headersFor = (origin: string): Headers => ({
  'access-control-allow-origin': origin,
  'access-control-expose-headers': EXPOSED,
});

const ANY_ORIGIN = headersFor('*');

/** What a preflight's answer carries besides: the same for every path, for nobody has shown a key yet. */
export const PREFLIGHT_HEADERS: Headers = {
  'access-control-allow-methods': METHODS,
  'access-control-allow-headers':
    'Authorization, Content-Type, Idempotency-Key, If-Match, If-None-Match, traceparent, X-Request-Id',
  // Chromium's own maximum: nobody asks less often.
  'access-control-max-age': '7200',
};

/** Whether a request is a CORS preflight. Any other `OPTIONS` is an ordinary request. */
export const isPreflight = (method: string | undefined, headers: IncomingHttpHeaders): boolean =>
  method === 'OPTIONS' &&
  headers.origin !== undefined &&
  headers['access-control-request-method'] !== undefined;
