import { createHash } from 'node:crypto';
import { createParamDecorator, type ExecutionContext } from '@nestjs/common';
import type { FastifyRequest } from 'fastify';
import { ApiError } from '../errors/api-error.js';

/** The Idempotency-Key of a request. */
export interface IdempotencyKey {
  readonly apiKeyId: bigint;
  readonly key: string;
  /** SHA-256 of method, path and body, which a repeat must match. */
  readonly fingerprint: Buffer;
}

/**
 * The `Idempotency-Key` of the request, or undefined when it has none.
 *
 * @throws ApiError invalid_idempotency_key
 */
export const RequestIdempotencyKey = createParamDecorator(
  (_data: unknown, context: ExecutionContext): IdempotencyKey | undefined => {
    const request = context.switchToHttp().getRequest<FastifyRequest>();
    const header = request.headers['idempotency-key'];
    const caller = request.decision?.caller;
    if (header === undefined || caller === undefined) return undefined;
    return {
      apiKeyId: caller.keyId,
      key: parseIdempotencyKey(String(header)),
      fingerprint: fingerprintOf(request),
    };
  },
);

const VISIBLE = /^[\x21-\x7e]{1,255}$/;
/** A string of RFC 9651: quoted, with `\"` and `\\`. */
const STRUCTURED = /^"((?:[^"\\]|\\["\\])*)"$/;

/** Reads visible ASCII, plain or as a structured string; `k` and `"k"` are the same key. */
function parseIdempotencyKey(header: string): string {
  const structured = STRUCTURED.exec(header);
  const key = structured === null ? header : (structured[1] ?? '').replaceAll(/\\(["\\])/g, '$1');
  // An unclosed quote means a truncated string.
  const isCut = structured === null && header.startsWith('"');
  if (isCut || !VISIBLE.test(key)) throw new ApiError('invalid_idempotency_key');
  return key;
}

/** The path is that of the route, because a target may be absolute or have encoded letters. No route of a POST has a parameter. */
function fingerprintOf({ method, routeOptions, bodyBytes }: FastifyRequest): Buffer {
  return createHash('sha256')
    .update(`${method} ${routeOptions.url ?? ''}\n`)
    .update(bodyBytes ?? '')
    .digest();
}
