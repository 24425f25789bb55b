import type { IncomingHttpHeaders } from 'node:http';
import type { ApiKeyHash } from '../keys/api-key.js';
import type { ApiError } from '../../errors/api-error.js';

/** One window of a rate limit as it stood after this request was decided; times in ms of the database's clock. */
export interface LimitWindow {
  readonly policy: 'minute' | 'day' | 'address' | 'documents';
  readonly limit: number;
  readonly windowSeconds: number;
  readonly remaining: number;
  readonly resetAtMs: number;
}

/** The key that a request was admitted for. */
export interface Caller {
  readonly keyId: bigint;
  readonly planId: string;
  /** It may only read. */
  readonly isReadOnly?: true;
}

/** A window of a key. */
export type KeyWindow = 'minute' | 'day';

/** What is known of a secret that was not looked up: its first 12 characters, and its hash. */
export interface UndecidedSecret {
  readonly keyPrefix: string;
  readonly secret: ApiKeyHash;
}

/** The result of admission for one request. */
export interface AdmissionDecision {
  /** The windows that the rate-limit headers describe: those of the key, or the one of the address. */
  readonly windows: readonly [LimitWindow, ...LimitWindow[]];
  /** The key, when it is valid, also of a rejected request. */
  readonly caller?: Caller;
  /** For log and usage: a key that is known and may not be used, or a secret that was not looked up. */
  readonly rejectedKey?: { readonly keyId: bigint } | UndecidedSecret;
  /** When a rejected request may be repeated, if that is later than the end of its window: `X-RateLimit-Reset`. */
  readonly retryAtMs?: number;
  /** Why the request must be rejected (401, 403, 429 or 503); absent when it is admitted. */
  readonly rejection?: ApiError;
  /** Rejected with 503 because too many keys of its address wait for a look-up, and not because the database could not decide. */
  readonly isCrowdedOut?: true;
  /** The limit that a valid key has exceeded: the exhausted window that resets last, or a ban. Only with `caller` and `rejection`. */
  readonly rejectedBy?: KeyWindow | 'ban';
}

/** Decides about requests. No promise rejects: an error becomes a rejection. Rejections may be delayed, which slows down floods. */
export abstract class AdmissionPort {
  /** Decides about a request by its `Authorization` header, and counts it: once a request, never twice. */
  abstract decide(headers: IncomingHttpHeaders, clientAddress: string): Promise<AdmissionDecision>;
  /** Counts bytes that never became a request against their address. */
  abstract chargeAddress(clientAddress: string): Promise<AdmissionDecision>;
  /** Counts a public document, or the share of one, against the address, in a limit apart from that of requests without a valid key. */
  abstract chargeDocument(clientAddress: string, cost: number): AdmissionDecision;
  /** The state of an address, without counting: for preflights. */
  abstract describeAddress(clientAddress: string): AdmissionDecision;
}
