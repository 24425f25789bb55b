import type { ApiKeyHash } from '../keys/api-key.js';

export interface RecentSecretsOptions {
  /** Secrets that are remembered, up to twice as many. */
  readonly max: number;
  /** How long a secret is remembered after its last admission, up to twice as long. */
  readonly forMs: number;
}

/** The secrets that were admitted lately. They choose the queue of a request and decide nothing: each request is decided by the database. */
export class RecentSecrets {
  #recent = new Set<ApiKeyHash>();
  #before = new Set<ApiKeyHash>();
  #turnsAtMs = 0;

  constructor(private readonly options: RecentSecretsOptions) {}

  add(secret: ApiKeyHash, nowMs: number): void {
    this.#turn(nowMs);
    this.#recent.add(secret);
  }

  /** A secret that was rejected waits like an unknown one. */
  remove(secret: ApiKeyHash): void {
    this.#recent.delete(secret);
    this.#before.delete(secret);
  }

  has(secret: ApiKeyHash, nowMs: number): boolean {
    this.#turn(nowMs);
    return this.#recent.has(secret) || this.#before.has(secret);
  }

  /** Two generations: what is not admitted in the second is forgotten with it. */
  #turn(nowMs: number): void {
    const { max, forMs } = this.options;
    if (this.#recent.size < max && nowMs < this.#turnsAtMs) return;
    this.#before = nowMs < this.#turnsAtMs + forMs ? this.#recent : new Set();
    this.#recent = new Set();
    this.#turnsAtMs = nowMs + forMs;
  }
}
