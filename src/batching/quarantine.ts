import type { QueueKey } from './fair-queue.js';

/** For so many milliseconds a key that made its statement time out delays no other one. */
export const QUARANTINE_MS = 1000;

/** Keys of which one item has timed out alone: another transaction probably holds their rows. Times are those of `performance.now()`. */
export class Quarantine {
  /** When the next item of a key may be tried, alone. */
  readonly #retryAt = new Map<QueueKey, number>();

  get isEmpty(): boolean {
    return this.#retryAt.size === 0;
  }

  has(key: QueueKey): boolean {
    return this.#retryAt.has(key);
  }

  /** Forgets keys that may be tried and have nothing to try, so that they do not add up. */
  add(key: QueueKey, hasItems: (key: QueueKey) => boolean): void {
    const now = performance.now();
    for (const [other, retryAt] of this.#retryAt) {
      if (retryAt < now && !hasItems(other)) this.#retryAt.delete(other);
    }
    this.#retryAt.set(key, now + QUARANTINE_MS);
  }

  /** Its lock may have been that of the whole table: then the others are free, too. */
  remove(key: QueueKey): void {
    if (this.isEmpty || !this.#retryAt.delete(key)) return;
    for (const other of this.#retryAt.keys()) this.#retryAt.set(other, 0);
  }

  /** A key with items of which one may be tried now; the next one only after a pause. */
  takeDue(hasItems: (key: QueueKey) => boolean): QueueKey | undefined {
    const now = performance.now();
    for (const [key, retryAt] of this.#retryAt) {
      if (retryAt > now || !hasItems(key)) continue;
      this.#retryAt.set(key, now + QUARANTINE_MS);
      return key;
    }
    return undefined;
  }
}
