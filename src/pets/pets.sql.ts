import { type ArrayElement, statement } from '../database/statement.js';
import { arrayOf, inBothOrders, type List, listOf, type PageRequest, pagesSql } from '../resources/lists.js';
import { changeSql, creationSql, findSql, type Resource } from '../resources/records.sql.js';
import { type ListPetsQuery, PET_STATUSES } from './pets.dto.js';

const PETS: Resource = { table: 'pets', json: 'pet_json', newRow: 'new_pet' };

/** A page of the pets that match every given filter. Repeated values are ascending. */
export type PetsQuery = ListPetsQuery & PageRequest;

/** Pages of all pets or of one status. */
export const LIST_PETS = listOf('list_pets', PETS, { status: { type: 'pet_status' } });

/** Columns of filtered pages. Arrays are passed as text. */
const FILTERS = { size: 'int', statuses: 'text', category_id: 'bigint' };

/**
 * Pages of pets with any of several statuses, in all categories (null) or one. Each status is an index range, compared as
 * in `listOf`; pets of a category without a status are another. The sort merges at most one page per range.
 */
export const FILTER_PETS = inBothOrders('filter_pets', (name, { direction, from, to }): List<PetsQuery> => ({
  statement: statement(
    name,
    pagesSql(
      PETS,
      { from_id: 'bigint', ...FILTERS },
      `
        select pet.*
        from unnest(page.statuses::pet_status[]) as wanted (status)
        cross join lateral (
          -- of a status, in all categories
          (select *
           from pets as listed
           where page.category_id is null
             and (listed.status, listed.id) ${from} (wanted.status, page.from_id) and listed.status ${to} wanted.status
           order by listed.status ${direction}, listed.id ${direction}
           limit page.size + 1)
          union all
          -- of a status, in one category
          (select *
           from pets as listed
           where listed.status is not null and wanted.status is not null
             and (listed.category_id, listed.status, listed.id) ${from} (page.category_id, wanted.status, page.from_id)
             and (listed.category_id, listed.status) ${to} (page.category_id, wanted.status)
           order by listed.category_id ${direction}, listed.status ${direction}, listed.id ${direction}
           limit page.size + 1)
          union all
          -- without a status, in one category
          (select *
           from pets as listed
           where listed.status is null and wanted.status is null
             and (listed.category_id, listed.id) ${from} (page.category_id, page.from_id)
             and listed.category_id ${to} page.category_id
           order by listed.category_id ${direction}, listed.id ${direction}
           limit page.size + 1)) as pet
        order by pet.id ${direction}
        limit page.size + 1`,
    ),
  ),
  parameters: [
    ({ fromId }) => fromId,
    ({ limit }) => limit,
    // Each status is its own range, as are the pets without one.
    ({ status }) => arrayOf(status ?? [...PET_STATUSES, null]),
    ({ categoryId }) => categoryId,
  ],
}));

/** Pages of the pets with these identifiers, in their order, that have one of the statuses (null: any) and the category (null: any). */
export const LIST_PETS_BY_ID: List<PetsQuery> = {
  statement: statement(
    'list_pets_by_id',
    pagesSql(
      PETS,
      { ids: 'text', ...FILTERS },
      `
        select pet.*
        from unnest(page.ids::bigint[]) with ordinality as wanted (id, place)
        join pets as pet on pet.id = wanted.id
        where (page.statuses is null or pet.status = any(page.statuses::pet_status[]))
          and (page.category_id is null or pet.category_id = page.category_id)
        order by wanted.place
        limit page.size + 1`,
    ),
  ),
  parameters: [
    idsOf,
    ({ limit }) => limit,
    ({ status }) => status && arrayOf(status),
    ({ categoryId }) => categoryId,
  ],
};

/** The requested identifiers from the page's first one on, in list order. */
function idsOf({ id = [], fromId, sort }: PetsQuery): ArrayElement {
  return arrayOf(
    sort === '-id' ? id.filter((one) => one <= fromId).toReversed() : id.filter((one) => one >= fromId),
  );
}

export const FIND_PETS = statement('find_pets', findSql(PETS));

export const CREATE_PETS = statement('create_pets', creationSql(PETS));

export const CHANGE_PETS = statement(
  'change_pets',
  changeSql(PETS, {
    absent: 'pet_not_found',
    columns: ['name', 'category_id', 'status'],
    // a function looks for the open order, because a join would not see one that was placed just before the lock
    rules: `
          when (wanted).status is distinct from (record).status and has_open_order(record_id) then 'pet_has_open_order'`,
  }),
);

export const DELETE_PETS = statement(
  'delete_pets',
  `
    select outcome
    from delete_pets_if($1::bigint[], $2::text[], $3::text[]) with ordinality as decided (outcome, number)
    order by number`,
);
