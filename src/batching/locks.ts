import type { QueueKey } from './fair-queue.js';

/** Locked rows retried at each tick. They take turns, so that many locked rows leave room for other items. */
const TRIES_MAX = 32;

/** Each row has at most one item in flight. A row found locked stays busy until the next tick. */
export class RowLocks {
  /** Cannot be claimed: an item is in flight, to be retried, or waiting for the next tick. */
  readonly #busy = new Set<QueueKey>();
  /** Found locked, and waiting for a tick; the earliest first. */
  readonly #locked = new Set<QueueKey>();
  /** Found locked at the last try; if given up, the error says so. */
  readonly #foundLocked = new Set<QueueKey>();

  /** Marks the row busy. False if it was. */
  claim(row: QueueKey): boolean {
    if (this.#busy.has(row)) return false;
    this.#busy.add(row);
    return true;
  }

  /** Unblocks the later items of a row. */
  release(row: QueueKey): void {
    this.#busy.delete(row);
    this.#foundLocked.delete(row);
  }

  /** An item found its row locked. */
  found(row: QueueKey): void {
    this.#locked.add(row);
    this.#foundLocked.add(row);
  }

  /** Whether the items of the row wait for a lock. */
  isLocked(row: QueueKey): boolean {
    return this.#foundLocked.has(row);
  }

  /** Allows locked rows to be retried, and forgets those without items. */
  tick(hasItems: (row: QueueKey) => boolean): void {
    for (const [place, row] of [...this.#locked].entries()) {
      if (place >= TRIES_MAX && hasItems(row)) continue;
      this.#locked.delete(row);
      this.#busy.delete(row);
    }
    for (const row of this.#foundLocked) {
      if (!this.#busy.has(row) && !hasItems(row)) this.#foundLocked.delete(row);
    }
  }
}

/** How many milliseconds a key that timed out is held back, so it delays no other key. */
export const QUARANTINE_MS = 1000;

/** Keys with an item that timed out alone: another transaction probably locks their rows. Times are those of `performance.now()`. */
export class Quarantine {
  /** When the next item of a key may be tried, alone. */
  readonly #retryAt = new Map<QueueKey, number>();

  get isEmpty(): boolean {
    return this.#retryAt.size === 0;
  }

  has(key: QueueKey): boolean {
    return this.#retryAt.has(key);
  }

  /** Also forgets due keys without items, so that they do not accumulate. */
  add(key: QueueKey, hasItems: (key: QueueKey) => boolean): void {
    const now = performance.now();
    for (const [other, retryAt] of this.#retryAt) {
      if (retryAt < now && !hasItems(other)) this.#retryAt.delete(other);
    }
    this.#retryAt.set(key, now + QUARANTINE_MS);
  }

  /** It may have been a table lock: then the other keys are free, too. */
  remove(key: QueueKey): void {
    if (this.isEmpty || !this.#retryAt.delete(key)) return;
    for (const other of this.#retryAt.keys()) this.#retryAt.set(other, 0);
  }

  /** A key with an item that may be tried now; its next one only after a pause. */
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
