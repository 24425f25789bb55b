import type { FastifyReply, FastifyRequest } from 'fastify';
import type { Headers } from '../errors/api-error.js';
import type { Cors } from './common-headers.js';
import { etagOf, isMatch, parseIfMatch, parseIfNoneMatch } from './etag.js';

/** The payload of a response, and its headers for caches. */
interface Cacheable {
  readonly payload: unknown;
  readonly headers: Headers;
}

/** Headers for caches, entity tags and conditional reads. */
export class Caching {
  /** A client may store the response, but must revalidate it each time; shared caches must not store it. */
  readonly #stored: Headers;
  readonly #notStored: Headers;

  constructor(private readonly cors: Cors) {
    this.#stored = { 'cache-control': 'private, no-cache', ...cors.vary('Authorization') };
    this.#notStored = { 'cache-control': 'no-store', ...cors.vary() };
  }

  /**
   * The headers of an error, whose body depends on `Accept`. A cache could otherwise store a 404 heuristically (RFC 9111 section
   * 4.2.2).
   *
   * @param vary what else the response depends on
   */
  ofError(vary?: string): Headers {
    return { 'cache-control': 'no-store', ...this.cors.vary(vary, 'Accept') };
  }

  /**
   * Sets the strong `ETag`, the operation's own or else one of the bytes, also if a write returns the record that it created or
   * changed (RFC 9110 section 15.3.2). A read is conditional: `If-Match` first, then `If-None-Match`, which makes it a 304
   * without a body (RFC 9110 section 13.2.2).
   *
   * @returns an error code if `If-Match` does not match
   */
  of(request: FastifyRequest, reply: FastifyReply, payload: unknown): Cacheable | 'precondition_failed' {
    const { method } = request;
    const vary = reply.getHeader('vary') as string | undefined;
    if (reply.statusCode >= 400) return { payload, headers: this.ofError(vary) };
    const isSuccess = reply.statusCode === 200 || reply.statusCode === 201;
    // Public documents set `Cache-Control` and `Vary` themselves.
    const own = reply.hasHeader('cache-control') ? this.cors.vary(vary) : undefined;
    if (!isSuccess || !(typeof payload === 'string' || Buffer.isBuffer(payload))) {
      return { payload, headers: own ?? this.#notStored };
    }
    if (method !== 'GET' && method !== 'HEAD') {
      return { payload, headers: { ...this.#notStored, etag: etagOf(payload) } };
    }
    const etag = (reply.getHeader('etag') as string | undefined) ?? sharedEtagOf(payload);
    const { 'if-match': ifMatch, 'if-none-match': ifNoneMatch } = request.headers;
    if (ifMatch !== undefined && !isMatch(parseIfMatch(ifMatch), etag)) return 'precondition_failed';
    const headers = { ...(own ?? this.#stored), etag };
    if (ifNoneMatch === undefined || !isMatch(parseIfNoneMatch(ifNoneMatch), etag))
      return { payload, headers };
    reply.code(304).removeHeader('content-encoding');
    // Fastify removes the body of a response to HEAD by itself, and fails if it is gone already.
    return { payload: method === 'HEAD' ? payload : null, headers };
  }
}

/** Simultaneous requests for one page share its text, so its tag is computed once. */
function sharedEtagOf(payload: string | Buffer): string {
  if (payload !== latest.payload) latest = { payload, etag: etagOf(payload) };
  return latest.etag;
}

let latest: { readonly payload: string | Buffer; readonly etag: string } = { payload: '', etag: '' };
