import { Injectable } from '@nestjs/common';
import { Batching } from '../batching/batching.js';
import type { Group } from '../batching/group.js';
import { PrismaService } from '../prisma/prisma.service.js';
import { statement } from '../prisma/statement.js';
import type { Inventory } from './inventory.dto.js';

/** Adds up the parts of `pet_counts`: exact, without reading the pets. */
const READ_INVENTORY = statement(
  'read_inventory',
  'reads',
  'select available, pending, sold from pet_inventory()',
);

/** The counts of the pets, which triggers of the database maintain. Concurrent reads share a result. */
@Injectable()
export class InventoryRepository {
  readonly #reads: Group<'now', Inventory>;

  constructor(
    batching: Batching,
    private readonly prisma: PrismaService,
  ) {
    this.#reads = batching.reads({
      name: 'read_inventory',
      shareKey: (item) => item,
      send: (items) => Promise.all(items.map(() => this.#read())),
    });
  }

  read(deadline: number): Promise<Inventory> {
    return this.#reads.ask('now', deadline);
  }

  async #read(): Promise<Inventory> {
    const [row] = await this.prisma.read<Inventory>(READ_INVENTORY, []);
    if (row === undefined) throw new Error('pet_inventory() returned no row');
    return row;
  }
}
