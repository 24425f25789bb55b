import { Injectable } from '@nestjs/common';
import { Database } from '../database/database.js';
import type { Group } from '../database/group.js';
import { groupReads, groupWrites } from '../database/groups.js';
import { groupPages, type Page, type PageQuestion } from '../database/pages.js';
import { type Claim, type ClaimOutcome, claimOutcome, type ClaimRow } from '../idempotency/claim.js';
import { membersJson } from './pet.schema.js';
import type { NewPet, Pet, PetStatus } from './pet.js';
import { CREATE_PETS, CREATE_PETS_ONCE, FIND_PETS, LISTED_PETS } from './pets.sql.js';

/** The number of the question that a row answers, from 1 on, then the animal. */
type PetRow = readonly [
  number: number,
  id: bigint,
  name: string,
  categoryId: bigint,
  status: PetStatus | null,
];

interface ClaimedPet {
  readonly pet: NewPet;
  readonly claim: Claim;
}

/** The animals in the database. What is asked at the same time goes in one statement. */
@Injectable()
export class PetsRepository {
  readonly #pages: Group<PageQuestion<PetStatus>, Page>;
  readonly #byId = groupReads<bigint, Pet | undefined>({
    name: 'find_pets',
    shareKey: String,
    send: (ids) => this.#selectById(ids),
  });
  readonly #inserts = groupWrites<NewPet, Pet>({
    name: 'create_pets',
    send: (pets) => this.#insert(pets),
  });

  readonly #insertsOnce = groupWrites<ClaimedPet, ClaimOutcome>({
    name: 'create_pets_once',
    send: (claimed) => this.#insertOnce(claimed),
  });

  constructor(private readonly database: Database) {
    this.#pages = groupPages(database, LISTED_PETS);
  }

  list(page: PageQuestion<PetStatus>): Promise<Page> {
    return this.#pages.ask(page);
  }

  find(id: bigint): Promise<Pet | undefined> {
    return this.#byId.ask(id);
  }

  /** Resolves when the animal is durable. */
  create(pet: NewPet): Promise<Pet> {
    return this.#inserts.ask(pet);
  }

  /** The same under a claim: the animal and the answer that later repeats get are durable together. */
  createOnce(pet: NewPet, claim: Claim): Promise<ClaimOutcome> {
    return this.#insertsOnce.ask({ pet, claim });
  }

  async #selectById(ids: readonly bigint[]): Promise<readonly (Pet | undefined)[]> {
    const rows = await this.database.rows<PetRow>(FIND_PETS, [ids]);
    return petsByNumber(rows, ids.length).map(([pet]) => pet);
  }

  async #insert(pets: readonly NewPet[]): Promise<readonly Pet[]> {
    const rows = await this.database.rows<readonly [id: bigint]>(CREATE_PETS, [
      pets.map((pet) => pet.name),
      pets.map((pet) => pet.categoryId),
      pets.map((pet) => pet.status),
    ]);
    const ids = rows.map(([id]) => id);
    return pets.map((pet, index) => ({ ...pet, id: ids[index] }) as Pet);
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

function petsByNumber(rows: readonly PetRow[], questions: number): Pet[][] {
  const answers = Array.from({ length: questions }, (): Pet[] => []);
  for (const [number, id, name, categoryId, status] of rows) {
    answers[number - 1]?.push(status === null ? { id, name, categoryId } : { id, name, categoryId, status });
  }
  return answers;
}
