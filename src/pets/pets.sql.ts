import { inBothDirections, listSql, pagesSql } from '../batching/list-pages.js';
import { HOLDS_KEY, storedResponses } from '../http/idempotency/idempotency.sql.js';
import { statement } from '../database/statement.js';

/** The JSON of a row of a page. */
const PET_JSON = 'pet_json(record)';

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
    select pet_json(pet) as json
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
      select request.*, ${HOLDS_KEY} as holds_key
      from unnest($1::jsonb[], $2::bigint[], $3::text[], $4::bytea[])
        with ordinality as request (members, api_key_id, key, fingerprint, number)),
    creatable as (
      select *, (pet).id, pet_json(pet) as json
      from (select *, jsonb_populate_record(new_pet(), members) as pet from input where holds_key) as numbered),
    ${storedResponses('creatable')},
    created as (
      insert into pets
      select (pet).* from free)
    select
      case when not input.holds_key then 'busy' when free.id is null then 'used' else 'created' end as outcome,
      free.id, free.json
    from input
    left join free on free.number = input.number
    order by input.number`,
);

/**
 * Changes the given members of pets, each pet once. One row for each, in their order: its outcome, and the pet as it is then where it
 * was changed or need not change. `locked` is one that would change but that another transaction has locked.
 */
export const CHANGE_PETS = statement(
  'change_pets',
  `
    with input as materialized (
      select *
      from unnest($1::bigint[], $2::jsonb[], $3::text[], $4::text[])
        with ordinality as change (pet_id, members, if_match, if_none_match, number)),
    held as materialized (
      select pet
      from pets as pet
      where id = any(array(select pet_id from input))
      order by id
      for no key update skip locked),
    -- as the lock found it; a locked pet, as it was when the statement began
    present as (
      select pet, true as is_held from held
      union all
      select pet, false
      from pets as pet
      where id = any(array(select pet_id from input)) and id <> all(array(select (pet).id from held))),
    wanted as materialized (
      select *, jsonb_populate_record(pet, members) as wanted_pet
      from input
      left join present on (pet).id = pet_id),
    -- a function looks for the open order, because a join would not see one that was placed just before the lock
    decided as materialized (
      select
        *,
        case
          when (pet).id is null then 'pet_not_found'
          when num_nonnulls(if_match, if_none_match) > 0
            and not meets_preconditions(pet_json(pet), if_match, if_none_match)
            then 'precondition_failed'
          when (wanted_pet).status is distinct from (pet).status and has_open_order(pet_id) then 'pet_has_open_order'
          when wanted_pet is not distinct from pet then 'unchanged'
          when is_held then 'changed'
          else 'locked'
        end as outcome
      from wanted),
    changed as (
      update pets
      set name = (wanted_pet).name, category_id = (wanted_pet).category_id, status = (wanted_pet).status
      from decided
      where id = pet_id and outcome = 'changed')
    select outcome, pet_json(wanted_pet) as json
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
