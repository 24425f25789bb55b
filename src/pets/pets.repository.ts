import { Injectable } from '@nestjs/common';
import type { Batcher } from '../batching/batcher.js';
import { Batching } from '../batching/batching.js';
import {
  batchPages,
  batchRecords,
  type Direction,
  type Page,
  PAGE_PARAMETERS,
  type PageParameters,
  type PageRequest,
} from '../batching/list-pages.js';
import { preconditionArrays, type Preconditions } from '../http/etag.js';
import type { IdempotencyKey } from '../http/idempotency/idempotency-key.js';
import {
  CREATIONS,
  type CreateRow,
  type CreationOutcome,
  keyArrays,
} from '../http/idempotency/idempotency.service.js';
import { PrismaService } from '../database/prisma.service.js';
import { arrayElement, type ArrayElement, columnsJson, plainArray } from '../database/statement.js';
import { type NewPetBody, PET_STATUSES, type PetChangeBody, type PetStatus } from './pets.dto.js';
import {
  CHANGE_PETS,
  CREATE_PETS,
  DELETE_PETS,
  FILTER_PETS,
  FIND_PETS,
  LIST_PETS,
  LIST_PETS_BY_ID,
} from './pets.sql.js';

/** A page of the pets that pass every filter that is present, from an identifier on. */
export interface PetsQuery {
  readonly fromId: bigint;
  readonly limit: number;
  readonly direction: Direction;
  /** Ascending. */
  readonly ids?: readonly bigint[] | undefined;
  readonly statuses?: readonly PetStatus[] | undefined;
  readonly categoryId?: bigint | undefined;
}

interface CreateItem {
  readonly pet: NewPetBody;
  readonly key: IdempotencyKey | undefined;
}

interface DeleteItem extends Preconditions {
  readonly id: bigint;
}

interface ChangeItem extends DeleteItem {
  readonly change: PetChangeBody;
}

interface ChangeRow {
  readonly outcome: 'changed' | 'unchanged' | 'pet_not_found' | 'precondition_failed' | 'pet_has_open_order';
  readonly json: string;
}

interface DeleteRow {
  readonly outcome:
    'deleted' | 'pet_not_found' | 'precondition_failed' | 'pet_has_open_order' | 'pet_is_sold';
}

/** An array as an element of the array of all pages. */
const arrayOf = (items: readonly (bigint | PetStatus | null)[]): ArrayElement =>
  arrayElement(plainArray(items));

const FILTER_PARAMETERS: PageParameters<PetsQuery> = [
  ({ fromId }) => fromId,
  ({ limit }) => limit,
  // All statuses are ranges of their own, like the pets without one.
  ({ statuses }) => arrayOf(statuses ?? [...PET_STATUSES, null]),
  ({ categoryId }) => categoryId,
];

const BY_ID_PARAMETERS: PageParameters<PetsQuery> = [
  idsOf,
  ({ limit }) => limit,
  ({ statuses }) => statuses && arrayOf(statuses),
  ({ categoryId }) => categoryId,
];

/** The requested identifiers from the first one of the page on, in the order of the list. */
function idsOf({ ids = [], fromId, direction }: PetsQuery): ArrayElement {
  return arrayOf(
    direction === 'asc' ? ids.filter((id) => id >= fromId) : ids.filter((id) => id <= fromId).toReversed(),
  );
}

/** The pets in the database. Concurrent queries share a statement. */
@Injectable()
export class PetsRepository {
  readonly #lists: Readonly<Record<Direction, Batcher<PageRequest, Page>>>;
  readonly #filtered: Readonly<Record<Direction, Batcher<PetsQuery, Page>>>;
  readonly #listsById: Batcher<PetsQuery, Page>;
  readonly #records: Batcher<bigint, string>;
  readonly #creations: Batcher<CreateItem, CreationOutcome>;
  readonly #changes: Batcher<ChangeItem, string>;
  readonly #deletions: Batcher<DeleteItem, void>;

  constructor(batching: Batching, prisma: PrismaService) {
    this.#lists = {
      asc: batchPages(batching, prisma, LIST_PETS.asc, PAGE_PARAMETERS),
      desc: batchPages(batching, prisma, LIST_PETS.desc, PAGE_PARAMETERS),
    };
    this.#filtered = {
      asc: batchPages(batching, prisma, FILTER_PETS.asc, FILTER_PARAMETERS),
      desc: batchPages(batching, prisma, FILTER_PETS.desc, FILTER_PARAMETERS),
    };
    this.#listsById = batchPages(batching, prisma, LIST_PETS_BY_ID, BY_ID_PARAMETERS);
    this.#records = batchRecords(batching, prisma, FIND_PETS, 'pet_not_found');
    this.#creations = batching.batchCreations<CreateItem, CreateRow, CreationOutcome>({
      table: 'pets',
      statement: CREATE_PETS,
      valuesOf: (items) => [items.map(({ pet }) => columnsJson(pet)), ...keyArrays(items)],
      outcomes: CREATIONS,
    });
    this.#changes = batching.batchChanges<ChangeItem, ChangeRow, string>({
      table: 'pets',
      statement: CHANGE_PETS,
      valuesOf: (items) => [
        plainArray(items.map(({ id }) => id)),
        items.map(({ change }) => columnsJson(change)),
        ...preconditionArrays(items),
      ],
      outcomes: {
        changed: ({ json }) => json,
        unchanged: ({ json }) => json,
      },
    });
    this.#deletions = batching.batchChanges<DeleteItem, DeleteRow, void>({
      table: 'pets',
      statement: DELETE_PETS,
      valuesOf: (items) => [plainArray(items.map(({ id }) => id)), ...preconditionArrays(items)],
      outcomes: {
        deleted: () => undefined,
      },
    });
  }

  list(page: PetsQuery, deadline: number): Promise<Page> {
    const { fromId, limit, direction, ids, statuses = [], categoryId } = page;
    if (ids !== undefined) return this.#listsById.load(page, deadline);
    return categoryId === undefined && statuses.length < 2
      ? this.#lists[direction].load({ fromId, limit, status: statuses[0] }, deadline)
      : this.#filtered[direction].load(page, deadline);
  }

  /**
   * The pet as JSON.
   *
   * @throws ApiError pet_not_found
   */
  find(id: bigint, deadline: number): Promise<string> {
    return this.#records.load(id, deadline);
  }

  /** Resolves when the pet, and with a key the response, is durable. */
  create(pet: NewPetBody, key: IdempotencyKey | undefined, deadline: number): Promise<CreationOutcome> {
    return this.#creations.load({ pet, key }, deadline);
  }

  /**
   * Changes a pet that meets the conditions, and resolves to its JSON as it is then.
   *
   * @throws ApiError pet_not_found | precondition_failed | pet_has_open_order
   */
  change(id: bigint, change: PetChangeBody, conditions: Preconditions, deadline: number): Promise<string> {
    return this.#changes.load({ id, change, ...conditions }, deadline);
  }

  /**
   * Deletes a pet that meets the conditions, with its cancelled orders.
   *
   * @throws ApiError pet_not_found | precondition_failed | pet_has_open_order | pet_is_sold
   */
  delete(id: bigint, conditions: Preconditions, deadline: number): Promise<void> {
    return this.#deletions.load({ id, ...conditions }, deadline);
  }
}
