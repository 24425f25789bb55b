import type { FastifyReply, FastifyRequest } from 'fastify';
import type { Cors } from './cors.js';
import { etagOf, isMatch, isNoneMatch, parseIfMatch } from './etag.js';

/** The payload of a response, and its headers for caches, as lines. */
interface Cacheable {
  readonly payload: unknown;
  readonly lines: string;
}

/** Headers for caches, entity tags and conditional reads. */
export class Caching {
  /** A client may store the response, but must revalidate it each time; shared caches must not store it. */
  readonly #kept: string;
  /** For handlers that set `Cache-Control` themselves. */
  readonly #own: string;
  /** For errors and writes: a cache could otherwise keep a 404 by its own judgement (RFC 9111 section 4.2.2). */
  readonly notKept: string;

  constructor(cors: Cors) {
    this.#own = cors.vary();
    this.#kept = `cache-control: private, no-cache\r\n${cors.vary('Authorization')}`;
    this.notKept = `cache-control: no-store\r\n${this.#own}`;
  }

  /**
   * Gives a representation its strong `ETag`, that of the bytes, also where a write returns the record that it created or
   * changed (RFC 9110 section 15.3.2). A read is conditional: `If-Match` first, then `If-None-Match`, which makes it a 304
   * without a body (RFC 9110 section 13.2.2).
   *
   * @returns the code of an error where `If-Match` does not hold
   */
  of(request: FastifyRequest, reply: FastifyReply, payload: unknown): Cacheable | 'precondition_failed' {
    const { method } = request;
    const hasOwn = reply.hasHeader('cache-control');
    const isSuccess = reply.statusCode === 200 || reply.statusCode === 201;
    if (!isSuccess || typeof payload !== 'string') {
      return { payload, lines: hasOwn ? this.#own : this.notKept };
    }
    if (method !== 'GET' && method !== 'HEAD') {
      return { payload, lines: `${this.notKept}etag: ${etagOf(payload)}\r\n` };
    }
    const etag = sharedEtagOf(payload);
    const { 'if-match': ifMatch, 'if-none-match': ifNoneMatch } = request.headers;
    if (ifMatch !== undefined && !isMatch(parseIfMatch(ifMatch), etag)) {
      // They are about the representation that is not sent.
      reply.removeHeader('cache-control').removeHeader('link');
      return 'precondition_failed';
    }
    const lines = `${hasOwn ? this.#own : this.#kept}etag: ${etag}\r\n`;
    if (ifNoneMatch === undefined || isNoneMatch(ifNoneMatch, etag)) return { payload, lines };
    reply.code(304);
    // Fastify takes the body off the answer to HEAD by itself, and stumbles when it is gone already.
    return { payload: method === 'HEAD' ? payload : null, lines };
  }
}

/** Requests for the same page at the same time share its text: its tag is computed once. */
function sharedEtagOf(payload: string): string {
  if (payload !== latest.payload) latest = { payload, etag: etagOf(payload) };
  return latest.etag;
}

let latest = { payload: '', etag: '' };
