import { Injectable } from '@nestjs/common';
import { groupReads } from '../batching/groups.js';
import { PrismaService } from '../prisma/prisma.service.js';
import { statement } from '../prisma/statement.js';

/** How many animals there are of each status; those without one are in none. */
export interface Inventory {
  readonly available: bigint;
  readonly pending: bigint;
  readonly sold: bigint;
}

/** Adds up the parts of `pet_counts`: exact, without reading the animals. */
const READ_INVENTORY = statement(
  'read_inventory',
  'reads',
  'select available, pending, sold from pet_inventory()',
);

/** The counts of the animals, which triggers of the database keep. Who asks at the same time shares one statement. */
@Injectable()
export class InventoryRepository {
  readonly #reads = groupReads<'now', Inventory>({
    name: 'read_inventory',
    shareKey: (question) => question,
    send: (questions) => Promise.all(questions.map(() => this.#read())),
  });

  constructor(private readonly prisma: PrismaService) {}

  read(deadline: number): Promise<Inventory> {
    return this.#reads.ask('now', deadline);
  }

  async #read(): Promise<Inventory> {
    const [row] = await this.prisma.read<Inventory>(READ_INVENTORY, []);
    if (row === undefined) throw new Error('pet_inventory() returned no row');
    return row;
  }
}
