import { Injectable } from '@nestjs/common';
import type { Batcher } from '../batching/batcher.js';
import { Batching } from '../batching/batching.js';
import { batchPages, batchRecords, type Page, type PageQuery } from '../batching/pages.js';
import type { IdempotencyKey } from '../idempotency/idempotency-key.js';
import type { CreationOutcome } from '../idempotency/idempotency.service.js';
import { PrismaService } from '../prisma/prisma.service.js';
import { bytesArray, plainArray } from '../prisma/statement.js';
import type { NewPet, PetStatus } from './pet.js';
import { CREATE_PETS, FIND_PETS, LIST_PETS } from './pets.sql.js';

interface CreateItem {
  readonly pet: NewPet;
  readonly key: IdempotencyKey | undefined;
}

interface CreateRow {
  readonly id: bigint;
  readonly isMine: boolean;
  readonly json: string | null;
}

/** The pets in the database. Concurrent queries share a statement. */
@Injectable()
export class PetsRepository {
  readonly #pages: Batcher<PageQuery<PetStatus>, Page>;
  readonly #records: Batcher<bigint, string | undefined>;
  readonly #creations: Batcher<CreateItem, CreationOutcome>;

  constructor(
    batching: Batching,
    private readonly prisma: PrismaService,
  ) {
    this.#pages = batchPages(batching, prisma, LIST_PETS);
    this.#records = batchRecords(batching, prisma, FIND_PETS);
    this.#creations = batching.batchWrites({
      name: 'create_pets',
      send: (items, sendBefore) => this.#create(items, sendBefore),
    });
  }

  list(page: PageQuery<PetStatus>, deadline: number): Promise<Page> {
    return this.#pages.load(page, deadline);
  }

  /** The pet as JSON; undefined when there is none. */
  find(id: bigint, deadline: number): Promise<string | undefined> {
    return this.#records.load(id, deadline);
  }

  /** Resolves when the pet, and with a key the response, is durable. */
  create(pet: NewPet, key: IdempotencyKey | undefined, deadline: number): Promise<CreationOutcome> {
    return this.#creations.load({ pet, key }, deadline);
  }

  async #create(items: readonly CreateItem[], sendBefore: number): Promise<readonly CreationOutcome[]> {
    const values = [
      items.map(({ pet }) => pet.name),
      plainArray(items.map(({ pet }) => pet.categoryId)),
      plainArray(items.map(({ pet }) => pet.status)),
      plainArray(items.map(({ key }) => key?.apiKeyId)),
      items.map(({ key }) => key?.key ?? null),
      bytesArray(items.map(({ key }) => key?.fingerprint)),
    ];
    const rows = await this.prisma.write<CreateRow>(CREATE_PETS, values, sendBefore);
    return rows.map(({ id, isMine, json }) => (json === null ? (isMine ? 'used' : 'busy') : { id, json }));
  }
}
