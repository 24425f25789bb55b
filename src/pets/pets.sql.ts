import { inBothDirections, listSql, pagesSql } from '../batching/pages.js';
import { IS_MINE, storedAndFree } from '../idempotency/idempotency.sql.js';
import { statement } from '../database/statement.js';

/** The JSON of a row of a page. */
const PET_JSON = 'pet_json(record.id, record.name, record.category_id, record.status)';

/** Pages of all pets or of one status. */
export const LIST_PETS = inBothDirections('list_pets', (direction) =>
  listSql('pets', 'pet_status', PET_JSON, direction),
);

/** Columns of pages with filters. The arrays of a page are texts: PostgreSQL has no array of arrays of different lengths. */
const FILTERS = { size: 'int', statuses: 'text', category_id: 'bigint' };

/**
 * Pages of pets with one of some statuses, in all categories (null) or in one. Each status is a range of an index, compared as
 * in `listSql`; of a category, pets without a status are another range. The sort merges at most one page of each range.
 */
export const FILTER_PETS = inBothDirections('filter_pets', (direction, { from, to }) =>
  pagesSql(
    { from_id: 'bigint', ...FILTERS },
    PET_JSON,
    `
        select pet.*
        from unnest(page.statuses::pet_status[]) as wanted (status)
        cross join lateral (
          (select *
           from pets as listed
           where page.category_id is null
             and (listed.status, listed.id) ${from} (wanted.status, page.from_id) and listed.status ${to} wanted.status
           order by listed.status ${direction}, listed.id ${direction}
           limit page.size + 1)
          union all
          (select *
           from pets as listed
           where listed.status is not null and wanted.status is not null
             and (listed.category_id, listed.status, listed.id) ${from} (page.category_id, wanted.status, page.from_id)
             and (listed.category_id, listed.status) ${to} (page.category_id, wanted.status)
           order by listed.category_id ${direction}, listed.status ${direction}, listed.id ${direction}
           limit page.size + 1)
          union all
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
);

/** Pages of the pets with these identifiers, in their order, that have one of the statuses (null: any) and the category (null: any). */
export const LIST_PETS_BY_ID = statement(
  'list_pets_by_id',
  pagesSql(
    { ids: 'text', ...FILTERS },
    PET_JSON,
    `
        select pet.*
        from unnest(page.ids::bigint[]) with ordinality as wanted (id, place)
        join pets as pet on pet.id = wanted.id
        where (page.statuses is null or pet.status = any(page.statuses::pet_status[]))
          and (page.category_id is null or pet.category_id = page.category_id)
        order by wanted.place
        limit page.size + 1`,
  ),
);

export const FIND_PETS = statement(
  'find_pets',
  `
    select pet_json(pet.id, pet.name, pet.category_id, pet.status) as json
    from unnest((select $1::bigint[])) with ordinality as wanted (id, number)
    left join pets as pet on pet.id = wanted.id
    order by wanted.number`,
);

/**
 * Creates pets, and stores the response where there is an Idempotency-Key. The keys of a batch are different ones. One row for each
 * pet, in their order.
 */
export const CREATE_PETS = statement(
  'create_pets',
  `
    with input as materialized (
      select pet.*, nextval('pets_id_seq') as id, ${IS_MINE} as is_mine
      from unnest($1::text[], $2::bigint[], $3::pet_status[], $4::bigint[], $5::text[], $6::bytea[])
        with ordinality as pet (name, category_id, status, api_key_id, key, fingerprint, number)),
    creatable as (
      select *, pet_json(id, name, category_id, status) as json from input where is_mine),
    ${storedAndFree('creatable')},
    created as (
      insert into pets (id, name, category_id, status)
      select id, name, category_id, status from free)
    select
      case when not input.is_mine then 'busy' when free.id is null then 'used' else 'created' end as outcome,
      free.id, free.json
    from input
    left join free on free.number = input.number
    order by input.number`,
);

/**
 * Changes the given members (null: as it is) of pets, each once. One row for each pet, in their order: its outcome, and the pet as it is
 * then where it was changed or need not change. `locked` is one that would change but that another transaction has locked.
 */
export const CHANGE_PETS = statement(
  'change_pets',
  `
    with input as materialized (
      select *
      from unnest($1::bigint[], $2::text[], $3::bigint[], $4::pet_status[], $5::text[], $6::text[])
        with ordinality as change (pet_id, new_name, new_category_id, new_status, if_match, if_none_match, number)),
    held as materialized (
      select *
      from pets
      where id = any(array(select pet_id from input))
      order by id
      for no key update skip locked),
    -- as the lock found it; a locked pet, as it was when the statement began
    present as (
      select *, true as is_held from held
      union all
      select *, false
      from pets
      where id = any(array(select pet_id from input)) and id <> all(array(select id from held))),
    wanted as (
      select
        number, if_match, if_none_match, present.*,
        coalesce(new_name, name) as new_name,
        coalesce(new_category_id, category_id) as new_category_id,
        coalesce(new_status, status) as new_status
      from input
      left join present on present.id = pet_id),
    -- a function looks for the open order, because a join would not see one that was placed just before the lock
    decided as materialized (
      select
        *,
        case
          when id is null then 'pet_not_found'
          when num_nonnulls(if_match, if_none_match) > 0
            and not meets_preconditions(pet_json(id, name, category_id, status), if_match, if_none_match)
            then 'precondition_failed'
          when new_status is distinct from status and has_open_order(id) then 'pet_has_open_order'
          when (new_name, new_category_id, new_status) is not distinct from (name, category_id, status) then 'unchanged'
          when is_held then 'changed'
          else 'locked'
        end as outcome
      from wanted),
    changed as (
      update pets
      set name = new_name, category_id = new_category_id, status = new_status
      from decided
      where pets.id = decided.id and outcome = 'changed')
    select outcome, pet_json(id, new_name, new_category_id, new_status) as json
    from decided
    order by number`,
);

/** Deletes pets with their cancelled orders. One row for each, in their order, with the outcome of `delete_pet_if`. */
export const DELETE_PETS = statement(
  'delete_pets',
  `
    select delete_pet_if(pet_id, if_match, if_none_match) as outcome
    from unnest($1::bigint[], $2::text[], $3::text[]) with ordinality as wanted (pet_id, if_match, if_none_match, number)
    order by number`,
);
