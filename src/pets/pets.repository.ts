import { Injectable } from '@nestjs/common';
import type { Batcher } from '../batching/batcher.js';
import type { Group } from '../batching/group.js';
import { Batching } from '../batching/batching.js';
import { batchPages, batchRowsById, type Page, type PageQuestion } from '../batching/pages.js';
import { type Claim, type ClaimOutcome, claimOutcome, type ClaimRow } from '../idempotency/claim.js';
import { PrismaService } from '../prisma/prisma.service.js';
import { plainArray } from '../prisma/statement.js';
import { membersJson, type NewPet, type PetStatus } from './pet.js';
import { CREATE_PETS, CREATE_PETS_ONCE, FIND_PETS, LIST_PETS } from './pets.sql.js';

interface ClaimedPet {
  readonly pet: NewPet;
  readonly claim: Claim;
}

/** The pets in the database. Concurrent queries share a statement. */
@Injectable()
export class PetsRepository {
  readonly #pages: Batcher<PageQuestion<PetStatus>, Page>;
  readonly #byId: Batcher<bigint, string | undefined>;
  readonly #inserts: Group<NewPet, bigint>;
  readonly #insertsOnce: Group<ClaimedPet, ClaimOutcome>;

  constructor(
    batching: Batching,
    private readonly prisma: PrismaService,
  ) {
    this.#pages = batchPages(batching, prisma, LIST_PETS);
    this.#byId = batchRowsById(batching, prisma, FIND_PETS);
    this.#inserts = batching.writes({
      name: 'create_pets',
      send: (pets, sendBefore) => this.#insert(pets, sendBefore),
    });
    this.#insertsOnce = batching.writes({
      name: 'create_pets_once',
      send: (claimed, sendBefore) => this.#insertOnce(claimed, sendBefore),
    });
  }

  list(page: PageQuestion<PetStatus>, deadline: number): Promise<Page> {
    return this.#pages.load(page, deadline);
  }

  /** The animal as JSON; undefined when there is none. */
  find(id: bigint, deadline: number): Promise<string | undefined> {
    return this.#byId.load(id, deadline);
  }

  /** Resolves to its identifier when the animal is durable. */
  create(pet: NewPet, deadline: number): Promise<bigint> {
    return this.#inserts.ask(pet, deadline);
  }

  /** The same under a claim: the animal and the answer that later repeats get are durable together. */
  createOnce(pet: NewPet, claim: Claim, deadline: number): Promise<ClaimOutcome> {
    return this.#insertsOnce.ask({ pet, claim }, deadline);
  }

  async #insert(pets: readonly NewPet[], sendBefore: number): Promise<readonly bigint[]> {
    const values = [
      pets.map((pet) => pet.name),
      plainArray(pets.map((pet) => pet.categoryId)),
      plainArray(pets.map((pet) => pet.status)),
    ];
    const rows = await this.prisma.write<{ id: bigint }>(CREATE_PETS, values, sendBefore);
    return rows.map(({ id }) => id);
  }

  async #insertOnce(claimed: readonly ClaimedPet[], sendBefore: number): Promise<readonly ClaimOutcome[]> {
    const values = [
      claimed.map(({ pet }) => pet.name),
      plainArray(claimed.map(({ pet }) => pet.categoryId)),
      plainArray(claimed.map(({ pet }) => pet.status)),
      claimed.map(({ pet }) => membersJson(pet)),
      plainArray(claimed.map(({ claim }) => claim.apiKeyId)),
      claimed.map(({ claim }) => claim.key),
      claimed.map(({ claim }) => claim.fingerprint),
    ];
    const rows = await this.prisma.write<ClaimRow>(CREATE_PETS_ONCE, values, sendBefore);
    return rows.map(claimOutcome);
  }
}
