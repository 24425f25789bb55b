import type { TestKey } from '../../support/issue-keys.js';

/** How many clients go for the same animal: enough for a race on every one, and for a winner of most. */
const RIVALS = 4;

/** What the clients of a load contend for: animals to order, and keys with few requests left. */
export class Market {
  #asked = 0;
  #spent = 0;

  constructor(
    private readonly pets: readonly bigint[],
    private readonly tightKeys: readonly TestKey[],
  ) {}

  /** The animal that everybody wants now. */
  nextPet(): bigint | undefined {
    const pet = this.pets[Math.floor(this.#asked / RIVALS) % Math.max(1, this.pets.length)];
    this.#asked += 1;
    return pet;
  }

  /** The key that everybody wears out now. */
  get tightKey(): TestKey | undefined {
    return this.tightKeys[this.#spent];
  }

  /** Somebody was refused with a key: all go on with the next one, while there is one. */
  wornOut(key: TestKey): void {
    if (key === this.tightKey && this.#spent < this.tightKeys.length - 1) this.#spent += 1;
  }
}
