import { Injectable } from '@nestjs/common';
import { Database } from '../database/database.js';
import type { Group } from '../database/group.js';
import { groupWrites } from '../database/groups.js';
import { groupPages, type Page, type PageQuestion } from '../database/pages.js';
import { groupRowsById } from '../database/rows-by-id.js';
import { type Claim, type ClaimOutcome, claimOutcome, type ClaimRow } from '../idempotency/claim.js';
import { membersJson } from './pet.schema.js';
import type { NewPet, PetStatus } from './pet.js';
import { CREATE_PETS, CREATE_PETS_ONCE, PETS } from './pets.sql.js';

interface ClaimedPet {
  readonly pet: NewPet;
  readonly claim: Claim;
}

/** The animals in the database. What is asked at the same time goes in one statement. */
@Injectable()
export class PetsRepository {
  readonly #pages: Group<PageQuestion<PetStatus>, Page>;
  readonly #byId: Group<bigint, string | undefined>;
  readonly #inserts = groupWrites<NewPet, bigint>({
    name: 'create_pets',
    send: (pets) => this.#insert(pets),
  });

  readonly #insertsOnce = groupWrites<ClaimedPet, ClaimOutcome>({
    name: 'create_pets_once',
    send: (claimed) => this.#insertOnce(claimed),
  });

  constructor(private readonly database: Database) {
    this.#pages = groupPages(database, PETS);
    this.#byId = groupRowsById(database, PETS);
  }

  list(page: PageQuestion<PetStatus>): Promise<Page> {
    return this.#pages.ask(page);
  }

  /** The animal as JSON; undefined when there is none. */
  find(id: bigint): Promise<string | undefined> {
    return this.#byId.ask(id);
  }

  /** Resolves to its identifier when the animal is durable. */
  create(pet: NewPet): Promise<bigint> {
    return this.#inserts.ask(pet);
  }

  /** The same under a claim: the animal and the answer that later repeats get are durable together. */
  createOnce(pet: NewPet, claim: Claim): Promise<ClaimOutcome> {
    return this.#insertsOnce.ask({ pet, claim });
  }

  async #insert(pets: readonly NewPet[]): Promise<readonly bigint[]> {
    const rows = await this.database.rows<readonly [id: bigint]>(CREATE_PETS, [
      pets.map((pet) => pet.name),
      pets.map((pet) => pet.categoryId),
      pets.map((pet) => pet.status),
    ]);
    return rows.map(([id]) => id);
  }

  async #insertOnce(claimed: readonly ClaimedPet[]): Promise<readonly ClaimOutcome[]> {
    const rows = await this.database.rows<ClaimRow>(CREATE_PETS_ONCE, [
      claimed.map(({ pet }) => pet.name),
      claimed.map(({ pet }) => pet.categoryId),
      claimed.map(({ pet }) => pet.status),
      claimed.map(({ pet }) => membersJson(pet)),
      claimed.map(({ claim }) => claim.apiKeyId),
      claimed.map(({ claim }) => claim.key),
      claimed.map(({ claim }) => claim.fingerprint),
    ]);
    return rows.map(claimOutcome);
  }
}
