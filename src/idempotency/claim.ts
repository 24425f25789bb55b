import type { ErrorCode } from '../errors/error-codes.js';

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
  /** The body of the answer, to the byte. */
  readonly answer: string;
}

/** What became of a claim in the statement that would create. */
export type ClaimOutcome =
  | ({ readonly state: 'created' } & Creation)
  /** Another request with this claim is under way somewhere. */
  | { readonly state: 'busy' }
  /** It was used before: its first answer is stored. */
  | { readonly state: 'used' }
  /** Nothing was created, for this reason; unless it is the first request's doing, which then is stored. */
  | { readonly state: 'refused'; readonly code: ErrorCode };

export const IDEMPOTENCY_HOURS = 24;

/** What a statement that creates under claims tells of each: whether nobody else holds it, and the answer if it was free. */
export type ClaimRow = readonly [isMine: boolean, id: bigint, answer: string | null];

export function claimOutcome([isMine, id, answer]: ClaimRow): ClaimOutcome {
  if (!isMine) return { state: 'busy' };
  return answer === null ? { state: 'used' } : { state: 'created', id, answer };
}
