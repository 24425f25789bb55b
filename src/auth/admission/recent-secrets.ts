import type { ApiKeyHash } from '../keys/api-key.js';

/** The secrets that were admitted lately. They choose the queue of a request and decide nothing: each request is decided by the database. */
export class RecentSecrets {
  #recent = new Set<ApiKeyHash>();
  #before = new Set<ApiKeyHash>();
  #turnsAtMs = 0;

  /**
   * @param max secrets that are remembered, up to twice as many: some 4 MB
   * @param forMs how long one is remembered after its last admission, up to twice as long
   */
  constructor(
    private readonly max = 10_000,
    private readonly forMs = 300_000,
  ) {}

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
    if (this.#recent.size < this.max && nowMs < this.#turnsAtMs) return;
    this.#before = nowMs < this.#turnsAtMs + this.forMs ? this.#recent : new Set();
    this.#recent = new Set();
    this.#turnsAtMs = nowMs + this.forMs;
  }
}
