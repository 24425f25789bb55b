import { hash } from 'node:crypto';
import type { FastifyReply, FastifyRequest } from 'fastify';
import type { Cors } from './cors.js';

/** What is sent of an answer, and what it says to caches, as lines of its head. */
export interface Cacheable {
  readonly payload: unknown;
  readonly lines: string;
}

/** What answers say to caches. */
export class Caching {
  /** A client may keep the answer, but asks each time whether it still holds; and it is that caller's alone. */
  readonly #kept: string;
  /** Of what its handler has told caches something else. */
  readonly #own: string;
  /** Errors and what writes: a cache could otherwise keep a 404 by its own judgement (RFC 9111 section 4.2.2). */
  readonly notKept: string;

  constructor(cors: Cors) {
    this.#own = cors.vary();
    this.#kept = `cache-control: private, no-cache\r\n${cors.vary('Authorization')}`;
    this.notKept = `cache-control: no-store\r\n${this.#own}`;
  }

  /** Makes a read cacheable: a strong `ETag` of its bytes, and 304 without a body when the caller has them already. */
  of(request: FastifyRequest, reply: FastifyReply, payload: unknown): Cacheable {
    const isRead = request.method === 'GET' || request.method === 'HEAD';
    const hasOwn = reply.hasHeader('cache-control');
    if (!isRead || reply.statusCode !== 200 || typeof payload !== 'string') {
      return { payload, lines: hasOwn ? this.#own : this.notKept };
    }
    const etag = etagOf(payload);
    const lines = `${hasOwn ? this.#own : this.#kept}etag: ${etag}\r\n`;
    if (!matches(request.headers['if-none-match'], etag)) return { payload, lines };
    reply.code(304);
    // Fastify takes the body off the answer to HEAD by itself, and stumbles when it is gone already.
    return { payload: request.method === 'HEAD' ? payload : null, lines };
  }
}

/** 128 bits of SHA-1: no secret is kept by it, and two pages must not meet by chance. */
function etagOf(payload: string): string {
  if (payload !== latest.payload) {
    latest = { payload, etag: `"${hash('sha1', payload, 'base64url').slice(0, 22)}"` };
  }
  return latest.etag;
}

/** Those who asked the same at the same time get the same text: its tag is made once. */
let latest = { payload: '', etag: '' };

/** The weak comparison that RFC 9110 section 13.1.2 demands of `If-None-Match`. */
function matches(ifNoneMatch: string | undefined, etag: string): boolean {
  if (ifNoneMatch === undefined) return false;
  if (ifNoneMatch.trim() === '*') return true;
  const tags: readonly string[] = ifNoneMatch.match(/"[^"]*"/g) ?? [];
  return tags.includes(etag);
}
