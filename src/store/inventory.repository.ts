import { Injectable } from '@nestjs/common';
import { Batching } from '../batching/batching.js';
import { type Batcher, deduplicated } from '../batching/batcher.js';
import { PrismaService } from '../database/prisma.service.js';
import { statement } from '../database/statement.js';
import type { Inventory } from './inventory.dto.js';

/** Adds up the parts of `pet_counts`: exact, without reading the pets. */
const READ_INVENTORY = statement('read_inventory', 'select available, pending, sold from pet_inventory()');

/** The counts of the pets, which triggers of the database maintain. Concurrent reads share a result. */
@Injectable()
export class InventoryRepository {
  readonly #reads: Batcher<undefined, Inventory>;

  constructor(batching: Batching, prisma: PrismaService) {
    this.#reads = batching.batchReads<undefined, Inventory>({
      name: 'read_inventory',
      send: deduplicated(
        () => 'the inventory',
        () => prisma.read<Inventory>(READ_INVENTORY, []),
      ),
    });
  }

  read(deadline: number): Promise<Inventory> {
    return this.#reads.load(undefined, deadline);
  }
}
