import { Injectable } from '@nestjs/common';
import { Database, type Statement } from '../database/database.js';
import { groupReads } from '../database/groups.js';

/** How many animals there are of each status; those without one are in none. */
export interface Inventory {
  readonly available: bigint;
  readonly pending: bigint;
  readonly sold: bigint;
}

/** Adds up the parts of `pet_counts`: exact, without reading the animals. */
export const READ_INVENTORY: Statement = {
  name: 'read_inventory',
  text: 'select available, pending, sold from pet_inventory()',
};

type InventoryRow = readonly [available: bigint, pending: bigint, sold: bigint];

/** The counts of the animals, which triggers of the database keep. Who asks at the same time shares one statement. */
@Injectable()
export class InventoryRepository {
  readonly #reads = groupReads<'now', Inventory>({
    name: 'read_inventory',
    shareKey: (question) => question,
    send: (questions) => Promise.all(questions.map(() => this.#read())),
  });

  constructor(private readonly database: Database) {}

  read(deadline: number): Promise<Inventory> {
    return this.#reads.ask('now', deadline);
  }

  async #read(): Promise<Inventory> {
    const [row] = await this.database.rows<InventoryRow>(READ_INVENTORY, []);
    if (row === undefined) throw new Error('pet_inventory() returned no row');
    const [available, pending, sold] = row;
    return { available, pending, sold };
  }
}
