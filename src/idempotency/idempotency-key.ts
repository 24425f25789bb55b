import { ApiError } from '../errors/api-error.js';

const VISIBLE = /^[\x21-\x7e]{1,255}$/;
/** A string of RFC 9651: quoted, with `\"` and `\\`. */
const STRUCTURED = /^"((?:[^"\\]|\\["\\])*)"$/;

/**
 * Reads an `Idempotency-Key`: visible ASCII, plain or as a structured string; `k` and `"k"` are the same key.
 *
 * @throws ApiError invalid_idempotency_key
 */
export function parseIdempotencyKey(header: string): string {
  const structured = STRUCTURED.exec(header);
  const key = structured === null ? header : (structured[1] ?? '').replaceAll(/\\(["\\])/g, '$1');
  if (!VISIBLE.test(key)) throw new ApiError('invalid_idempotency_key');
  return key;
}
