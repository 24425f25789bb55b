import { type Statement, statement } from '../prisma/statement.js';

const DIRECTIONS = {
  asc: { from: '>=', to: '<=' },
  desc: { from: '<=', to: '>=' },
} as const;

/** Lists are ordered by identifier. */
export type Direction = keyof typeof DIRECTIONS;

/** Declares a statement for each direction. */
const inBothDirections = (
  name: string,
  textOf: (direction: Direction, compare: (typeof DIRECTIONS)[Direction]) => string,
): Readonly<Record<Direction, Statement>> => ({
  asc: statement(name, textOf('asc', DIRECTIONS.asc)),
  desc: statement(`${name}_desc`, textOf('desc', DIRECTIONS.desc)),
});

/** A page of the pets that a query finds. It finds one more than the page has, which shows whether another page follows. */
const pageOf = (found: string): string => `
      select
        (array_agg(pet.id))[page.size + 1] as next_id,
        array_to_string((array_agg(pet_json(pet.id, pet.name, pet.category_id, pet.status)))[:page.size], ',') as items
      from (${found}) as pet`;

/**
 * Pages of all pets or of one status. A page with a status compares rows, which only the index on (status, id) can serve: by the
 * primary key, the planner would read the whole table to find the pets of a rare status. With a null status the second branch
 * returns nothing. The sub-selects hide the length of the arrays from the planner, so that one plan serves all lengths.
 */
export const LIST_PETS = inBothDirections(
  'list_pets',
  (direction, { from, to }) => `
    select found.next_id as "nextId", found.items
    from unnest((select $1::bigint[]), (select $2::int[]), (select $3::pet_status[]))
      with ordinality as page (from_id, size, status, number)
    cross join lateral (${pageOf(`
        (select *
         from pets
         where page.status is null and id ${from} page.from_id
         order by id ${direction}
         limit page.size + 1)
        union all
        (select *
         from pets as listed
         where (listed.status, listed.id) ${from} (page.status, page.from_id) and listed.status ${to} page.status
         order by listed.status ${direction}, listed.id ${direction}
         limit page.size + 1)`)}) as found
    order by page.number`,
);

/**
 * Pages of pets with one of some statuses, in all categories (null) or in one. Each status is a range of an index, compared as
 * above; of a category, pets without a status are another range. The sort merges at most one page of each range.
 */
export const FILTER_PETS = inBothDirections(
  'filter_pets',
  (direction, { from, to }) => `
    select found.next_id as "nextId", found.items
    from unnest((select $1::bigint[]), (select $2::int[]), (select $3::text[]), (select $4::bigint[]))
      with ordinality as page (from_id, size, statuses, category_id, number)
    cross join lateral (${pageOf(`
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
        limit page.size + 1`)}) as found
    order by page.number`,
);

/** Pages of the pets with these identifiers, in their order, that have one of the statuses (null: any) and the category (null: any). */
export const LIST_PETS_BY_ID = statement(
  'list_pets_by_id',
  `
    select found.next_id as "nextId", found.items
    from unnest((select $1::text[]), (select $2::int[]), (select $3::text[]), (select $4::bigint[]))
      with ordinality as page (ids, size, statuses, category_id, number)
    cross join lateral (${pageOf(`
        select pet.*
        from unnest(page.ids::bigint[]) with ordinality as wanted (id, place)
        join pets as pet on pet.id = wanted.id
        where (page.statuses is null or pet.status = any(page.statuses::pet_status[]))
          and (page.category_id is null or pet.category_id = page.category_id)
        order by wanted.place
        limit page.size + 1`)}) as found
    order by page.number`,
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
 * pet, in their order: `is_mine` is false while another transaction uses the key, and `json` is null if the key was used before.
 */
export const CREATE_PETS = statement(
  'create_pets',
  `
    with input as materialized (
      select
        pet.*,
        nextval('pets_id_seq') as id,
        key is null or pg_try_advisory_xact_lock(hashtextextended(key, api_key_id)) as is_mine
      from unnest($1::text[], $2::bigint[], $3::pet_status[], $4::bigint[], $5::text[], $6::bytea[])
        with ordinality as pet (name, category_id, status, api_key_id, key, fingerprint, number)),
    -- a key is free when it was never used, or when its 24 hours are over
    stored as (
      insert into idempotency_keys as stored (api_key_id, key, fingerprint, resource_id, answer, expires_at)
      select api_key_id, key, fingerprint, id, pet_json(id, name, category_id, status), now() + interval '24 hours'
      from input
      where key is not null and is_mine
      order by api_key_id, key
      on conflict (api_key_id, key) do update
        set fingerprint = excluded.fingerprint,
            resource_id = excluded.resource_id,
            answer = excluded.answer,
            expires_at = excluded.expires_at
        where stored.expires_at <= now()
      returning resource_id),
    free as (
      select * from input where key is null or id in (select resource_id from stored)),
    created as (
      insert into pets (id, name, category_id, status)
      select id, name, category_id, status from free)
    select
      input.id, input.is_mine as "isMine",
      case when free.id is not null then pet_json(input.id, input.name, input.category_id, input.status) end as json
    from input
    left join free on free.id = input.id
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
