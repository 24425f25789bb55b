import { hash } from 'node:crypto';
import type { FastifyReply, FastifyRequest } from 'fastify';
import type { Headers } from '../headers.js';

/** A client may keep the answer, but asks each time whether it still holds; and it is that caller's alone. */
const KEPT: Headers = { 'cache-control': 'private, no-cache', vary: 'Authorization' };

/** Errors and what writes: a cache could otherwise keep a 404 by its own judgement (RFC 9111 section 4.2.2). */
const NOT_KEPT: Headers = { 'cache-control': 'no-store' };

/**
 * Makes an answer cacheable for the one who asked: a strong `ETag` of its bytes, and 304 without a body when the caller has
 * them already. Returns what is to be sent.
 */
export function conditional(request: FastifyRequest, reply: FastifyReply, payload: unknown): unknown {
  const isRead = request.method === 'GET' || request.method === 'HEAD';
  if (!isRead || reply.statusCode !== 200 || typeof payload !== 'string') {
    if (!reply.hasHeader('cache-control')) reply.headers(NOT_KEPT);
    return payload;
  }
  const etag = etagOf(payload);
  if (!reply.hasHeader('cache-control')) reply.headers(KEPT);
  reply.header('etag', etag);
  if (!matches(request.headers['if-none-match'], etag)) return payload;
  reply.code(304);
  // Fastify takes the body off the answer to HEAD by itself, and stumbles when it is gone already.
  return request.method === 'HEAD' ? payload : null;
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
