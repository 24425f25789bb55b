import { API_KEY_LENGTH, type ApiKeyHash } from './api-key.js';
import { type Credential, readCredential } from './bearer.js';

/** A key behind the name of its scheme and one space. Longer headers are not remembered, so that nobody fills the memory with them. */
const LENGTH_MAX = 'Bearer '.length + API_KEY_LENGTH;

/** Of each of two spans of time so many headers are remembered at most: all of them with their hashes take 4.5 MB. */
export const REMEMBERED_MAX = 10_000;

/** The length of a span: a header counts as forgotten one to two of them after it came for the last time. */
export const SPAN_MS = 60_000;

/**
 * Reads `Authorization` headers, and remembers for a short time which hash was read: the same callers send the same header with
 * every request, and its form, checksum and SHA-256 were 6 to 8 % of what a request costs the process. Whose key it is and what it
 * may is not remembered: that is the database's to say, each time.
 */
export class CredentialReader {
  readonly #read: typeof readCredential;
  #span = Number.NaN;
  #recent = new Map<string, ApiKeyHash>();
  #earlier = new Map<string, ApiKeyHash>();

  /** @param read what reads a header that is not remembered */
  constructor(read = readCredential) {
    this.#read = read;
  }

  read(authorization: string | undefined): Credential {
    if (authorization === undefined || authorization.length > LENGTH_MAX) return this.#read(authorization);
    this.#turnTo(Math.floor(performance.now() / SPAN_MS));
    const known = this.#recent.get(authorization);
    if (known !== undefined) return known;
    const credential = this.#earlier.get(authorization) ?? this.#read(authorization);
    if (credential !== 'none' && credential !== 'malformed') this.#recent.set(authorization, credential);
    return credential;
  }

  /** The maps are replaced, for clearing them would hold up every request. */
  #turnTo(span: number): void {
    const isNext = span === this.#span + 1;
    const isFull = span === this.#span && this.#recent.size >= REMEMBERED_MAX;
    if (span === this.#span && !isFull) return;
    this.#earlier = isNext || isFull ? this.#recent : new Map();
    this.#recent = new Map();
    this.#span = span;
  }
}
