import { createHash } from 'node:crypto';
import { createParamDecorator, type ExecutionContext } from '@nestjs/common';
import type { FastifyRequest } from 'fastify';
import { ApiError } from '../common/errors/api-error.js';
import type { ErrorCode } from '../common/errors/error-codes.js';

/** The right to create something once: whose it is, its name, and what the request was. */
export interface Claim {
  readonly apiKeyId: bigint;
  readonly key: string;
  /** SHA-256 of method, path and body: a repeat has the same. */
  readonly fingerprint: Buffer;
}

/** What was created under a claim, now or the first time. */
export interface Creation {
  readonly id: bigint;
  /** The body of the response, to the byte. */
  readonly answer: string;
}

/** The result of a claim in the statement that would create. */
export type ClaimOutcome =
  | ({ readonly state: 'created' } & Creation)
  /** Another request with this claim is under way somewhere. */
  | { readonly state: 'busy' }
  /** It was used before: its first response is stored. */
  | { readonly state: 'used' }
  /** Nothing was created, for this reason, unless the first request caused it: then its response is stored. */
  | { readonly state: 'refused'; readonly code: ErrorCode };

export const IDEMPOTENCY_HOURS = 24;

/** One row of a statement that creates under claims: whether nobody else holds the claim, and the response if it was free. */
export interface ClaimRow {
  readonly isMine: boolean;
  readonly id: bigint;
  readonly answer: string | null;
}

export function claimOutcome({ isMine, id, answer }: ClaimRow): ClaimOutcome {
  if (!isMine) return { state: 'busy' };
  return answer === null ? { state: 'used' } : { state: 'created', id, answer };
}

/**
 * What the request's `Idempotency-Key` claims, or undefined when it has none.
 *
 * @throws ApiError invalid_idempotency_key
 */
export const RequestClaim = createParamDecorator(
  (_data: unknown, context: ExecutionContext): Claim | undefined => {
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
  if (!VISIBLE.test(key)) throw new ApiError('invalid_idempotency_key');
  return key;
}

function fingerprintOf({ method, raw, bodyBytes }: FastifyRequest): Buffer {
  const [path = ''] = (raw.url ?? '').split('?', 1);
  return createHash('sha256')
    .update(`${method} ${path}\n`)
    .update(bodyBytes ?? '')
    .digest();
}
