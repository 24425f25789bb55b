/** The key of a lane: an API key, a row. */
export type QueueKey = string | bigint;

/**
 * A queue of lanes, one per key, served round-robin: however many items one key has waiting, the first item of another key waits
 * for one turn only. Within a lane the earliest item comes first. With one lane it is a plain queue.
 */
export class FairQueue<Item> {
  /** The lane whose turn is next comes first; none is empty. */
  #lanes = new Map<QueueKey, Item[]>();
  #length = 0;

  get length(): number {
    return this.#length;
  }

  has(key: QueueKey): boolean {
    return this.#lanes.has(key);
  }

  push(key: QueueKey, item: Item): void {
    this.#laneOf(key).push(item);
  }

  /** Returns a taken item to the front of its lane. */
  putBack(key: QueueKey, item: Item): void {
    this.#laneOf(key).unshift(item);
  }

  /**
   * Takes up to `max` items, in turns.
   *
   * @param claim whether one item of the key may be taken; called for each item
   */
  take(max: number, claim?: (key: QueueKey) => boolean): Item[] {
    const taken: Item[] = [];
    // A reinserted lane comes last, and is visited again.
    for (const [key, lane] of this.#lanes) {
      if (taken.length === max) break;
      if (claim?.(key) === false) continue;
      // A single lane need not take turns. Taking items one by one would shift the rest each time.
      const count = this.#lanes.size === 1 && claim === undefined ? max - taken.length : 1;
      taken.push(...lane.splice(0, count));
      this.#lanes.delete(key);
      if (lane.length > 0) this.#lanes.set(key, lane);
    }
    this.#forget(taken.length);
    return taken;
  }

  /** Removes the items that match a predicate. */
  remove(isRemoved: (item: Item) => boolean): void {
    for (const [key, lane] of this.#lanes) {
      const left = lane.filter((item) => !isRemoved(item));
      if (left.length === 0) this.#lanes.delete(key);
      else this.#lanes.set(key, left);
      this.#length -= lane.length - left.length;
    }
    this.#forget(0);
  }

  /** The lane that is about to get an item. */
  #laneOf(key: QueueKey): Item[] {
    this.#length += 1;
    let lane = this.#lanes.get(key);
    if (lane === undefined) this.#lanes.set(key, (lane = []));
    return lane;
  }

  #forget(count: number): void {
    this.#length -= count;
    // Hash tables that a map discarded as it resized would retain their items until the next full garbage collection.
    if (this.#length === 0) this.#lanes = new Map();
  }
}
