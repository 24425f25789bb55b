import type { ApiKeyHash } from '../keys/api-key.js';

/** Recently admitted secrets. They only select the queue of a request: the database decides about each request. */
export class RecentSecrets {
  #recent = new Set<ApiKeyHash>();
  #before = new Set<ApiKeyHash>();
  #turnsAtMs = 0;

  /**
   * @param max secrets remembered, up to twice as many: about 4 MB
   * @param forMs how long one is remembered after its last admission, up to twice as long
   */
  constructor(
    private readonly max = 10_000,
    private readonly forMs = 300_000,
  ) {}

  add(secret: ApiKeyHash, nowMs: number): void {
    this.#rotate(nowMs);
    this.#recent.add(secret);
  }

  /** A secret that was rejected waits like an unknown one. */
  remove(secret: ApiKeyHash): void {
    this.#recent.delete(secret);
    this.#before.delete(secret);
  }

  has(secret: ApiKeyHash, nowMs: number): boolean {
    this.#rotate(nowMs);
    return this.#recent.has(secret) || this.#before.has(secret);
  }

  /** Two generations: a secret not admitted in the second is forgotten. */
  #rotate(nowMs: number): void {
    if (this.#recent.size < this.max && nowMs < this.#turnsAtMs) return;
    this.#before = nowMs < this.#turnsAtMs + this.forMs ? this.#recent : new Set();
    this.#recent = new Set();
    this.#turnsAtMs = nowMs + this.forMs;
  }
}
