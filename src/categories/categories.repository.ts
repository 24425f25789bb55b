import { Injectable } from '@nestjs/common';
import type { CreationOutcome } from '../resources/idempotency.service.js';
import type { Page, PageRequest } from '../resources/lists.js';
import { type Changed, type Existing, type Load, type New, Records } from '../resources/records.js';
import type { ListCategoriesQuery, NewCategoryBody } from './categories.dto.js';
import {
  CREATE_CATEGORIES,
  DELETE_CATEGORIES,
  FIND_CATEGORIES,
  LIST_CATEGORIES,
  PUT_CATEGORIES,
} from './categories.sql.js';

/** The category after a PUT. */
interface PutCategory {
  readonly json: string;
  readonly isNew: boolean;
}

/** The categories in the database. */
@Injectable()
export class CategoriesRepository {
  readonly list: Load<ListCategoriesQuery & PageRequest, Page>;
  readonly find: Load<bigint, string>;
  readonly create: Load<New<NewCategoryBody>, CreationOutcome>;
  /** Creates or renames a category. */
  readonly put: Load<Changed<NewCategoryBody>, PutCategory>;
  readonly delete: Load<Existing, void>;

  constructor(records: Records) {
    const table = 'categories';
    this.list = records.pages(LIST_CATEGORIES);
    this.find = records.finds(FIND_CATEGORIES, 'category_not_found');
    this.create = records.creations({
      table,
      statement: CREATE_CATEGORIES,
      failures: ['category_exists'],
      locks: { keyOf: ({ members }) => members.name.toLowerCase() },
    });
    this.put = records.writes(
      {
        table,
        statement: PUT_CATEGORIES,
        failures: ['category_exists'],
        outcomes: {
          created: ({ json }): PutCategory => ({ json, isNew: true }),
          changed: ({ json }): PutCategory => ({ json, isNew: false }),
          unchanged: ({ json }): PutCategory => ({ json, isNew: false }),
        },
      },
      ({ members }) => [members.name],
    );
    this.delete = records.deletions({
      table,
      statement: DELETE_CATEGORIES,
      failures: ['category_not_found', 'category_in_use'],
    });
  }
}
