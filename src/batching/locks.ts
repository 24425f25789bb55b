import type { QueueKey } from './fair-queue.js';

/** Locked rows that are tried again at each tick. They take turns, so that many of them leave room for the others. */
const TRIES_MAX = 32;

/** Of the items of a row one is under way at a time. A row that was found locked stays busy until the next tick. */
export class RowLocks {
  /** These may not be claimed: an item is under way or to be sent again, or waits for the next tick. */
  readonly #busy = new Set<QueueKey>();
  /** Found locked, and waiting for a tick; the earliest first. */
  readonly #locked = new Set<QueueKey>();
  /** Whose last try was in vain: what is given up meanwhile says why. */
  readonly #foundLocked = new Set<QueueKey>();

  /** Whether the row was not busy; it is now. */
  claim(row: QueueKey): boolean {
    if (this.#busy.has(row)) return false;
    this.#busy.add(row);
    return true;
  }

  /** Lets the later items of a row go on. */
  release(row: QueueKey): void {
    this.#busy.delete(row);
    this.#foundLocked.delete(row);
  }

  /** An item of the row was tried in vain. */
  found(row: QueueKey): void {
    this.#locked.add(row);
    this.#foundLocked.add(row);
  }

  /** Whether the items of the row wait for a lock. */
  isLocked(row: QueueKey): boolean {
    return this.#foundLocked.has(row);
  }

  /** Locked rows may be tried again, and those without items are forgotten. */
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
