import { API_KEY_LENGTH, type ApiKeyHash } from './api-key.js';
import { type Credential, readCredential } from './bearer.js';

export interface CredentialReaderOptions {
  /** What reads a header that is not remembered. */
  readonly read?: (authorization: string | undefined) => Credential;
  /** A clock that only runs on, from any start. */
  readonly monotonicMs?: () => number;
}

/** A key behind the name of its scheme and one space. Only these are remembered, so that nobody fills the memory with long ones. */
export const REMEMBERED_LENGTH_MAX = 'Bearer '.length + API_KEY_LENGTH;

/** Remembered at a time are up to two such spans of headers: with their hashes 4 MB. */
export const REMEMBERED_MAX = 10_000;

/** A header is forgotten with the first that is read one to two such spans after it came for the last time. */
export const REMEMBERED_MS = 60_000;

/**
 * Reads `Authorization` headers, and remembers for a short time which hash was read: the same callers send the same header with
 * every request, and its form, checksum and SHA-256 were a twentieth of what a request costs the process. Whose key it is and
 * what it may is not remembered: that is the database's to say, each time.
 */
export class CredentialReader {
  readonly #read: (authorization: string | undefined) => Credential;
  readonly #monotonicMs: () => number;
  #recent = new Map<string, ApiKeyHash>();
  #earlier = new Map<string, ApiKeyHash>();
  #turnAtMs = Number.NEGATIVE_INFINITY;

  constructor({
    read = readCredential,
    monotonicMs = () => performance.now(),
  }: CredentialReaderOptions = {}) {
    this.#read = read;
    this.#monotonicMs = monotonicMs;
  }

  read(authorization: string | undefined): Credential {
    if (authorization === undefined || authorization.length > REMEMBERED_LENGTH_MAX) {
      return this.#read(authorization);
    }
    const nowMs = this.#monotonicMs();
    if (nowMs >= this.#turnAtMs || this.#recent.size >= REMEMBERED_MAX) this.#turn(nowMs);
    const known = this.#recent.get(authorization);
    if (known !== undefined) return known;
    const credential = this.#earlier.get(authorization) ?? this.#read(authorization);
    if (credential !== 'none' && credential !== 'malformed') this.#recent.set(authorization, credential);
    return credential;
  }

  /** A new map, for clearing the old one would hold up every request. */
  #turn(nowMs: number): void {
    const isStale = nowMs >= this.#turnAtMs + REMEMBERED_MS;
    this.#earlier = isStale ? new Map() : this.#recent;
    this.#recent = new Map();
    this.#turnAtMs = nowMs + REMEMBERED_MS;
  }
}
