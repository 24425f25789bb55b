import { Injectable } from '@nestjs/common';
import type { CreationOutcome } from '../resources/idempotency.service.js';
import type { Page } from '../resources/lists.js';
import { type Changed, type Existing, type Load, type New, Records } from '../resources/records.js';
import type { NewPetBody, PetChangeBody } from './pets.dto.js';
import {
  CHANGE_PETS,
  CREATE_PETS,
  DELETE_PETS,
  FILTER_PETS,
  FIND_PETS,
  LIST_PETS,
  LIST_PETS_BY_ID,
  type PetsQuery,
} from './pets.sql.js';

/** The pets in the database. */
@Injectable()
export class PetsRepository {
  readonly list: Load<PetsQuery, Page>;
  readonly find: Load<bigint, string>;
  readonly create: Load<New<NewPetBody>, CreationOutcome>;
  readonly change: Load<Changed<PetChangeBody>, string>;
  /** Deletes a pet with its cancelled orders. */
  readonly delete: Load<Existing, void>;

  constructor(records: Records) {
    const pages = records.pages(LIST_PETS);
    const filtered = records.pages(FILTER_PETS);
    const pagesById = records.pagesOf(LIST_PETS_BY_ID);
    this.list = (page, deadline) => {
      const { status = [], id, categoryId } = page;
      if (id !== undefined) return pagesById(page, deadline);
      return categoryId === undefined && status.length < 2
        ? pages(Object.assign({}, page, { status: status[0] }), deadline)
        : filtered(page, deadline);
    };
    this.find = records.finds(FIND_PETS, 'pet_not_found');
    this.create = records.creations({ table: 'pets', statement: CREATE_PETS });
    this.change = records.changes({
      table: 'pets',
      statement: CHANGE_PETS,
      failures: ['pet_not_found', 'pet_has_open_order'],
    });
    this.delete = records.deletions({
      table: 'pets',
      statement: DELETE_PETS,
      failures: ['pet_not_found', 'pet_has_open_order', 'pet_is_sold'],
    });
  }
}
