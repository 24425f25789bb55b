import type { Statement } from '../database/database.js';

/** Pages of animals, each from an identifier on; rows are page, id, name, category, status. */
export const LIST_PETS: Statement = {
  name: 'list_pets',
  text: `
    select page.number::int, pet.id, pet.name, pet.category_id, pet.status
    from unnest($1::bigint[], $2::int[]) with ordinality as page (from_id, size, number)
    cross join lateral (
      select id, name, category_id, status
      from pets
      where id >= page.from_id
      order by id
      limit page.size) as pet
    order by page.number, pet.id`,
};

/** The same with a status for each page. */
export const LIST_PETS_BY_STATUS: Statement = {
  name: 'list_pets_by_status',
  text: `
    select page.number::int, pet.id, pet.name, pet.category_id, pet.status
    from unnest($1::bigint[], $2::int[], $3::pet_status[]) with ordinality as page (from_id, size, status, number)
    cross join lateral (
      select id, name, category_id, status
      from pets
      where pets.status = page.status and id >= page.from_id
      order by id
      limit page.size) as pet
    order by page.number, pet.id`,
};

/** Animals by identifier; rows are as above, for those that exist. */
export const FIND_PETS: Statement = {
  name: 'find_pets',
  text: `
    select asked.number::int, pet.id, pet.name, pet.category_id, pet.status
    from unnest($1::bigint[]) with ordinality as asked (id, number)
    join pets as pet on pet.id = asked.id`,
};

/** Inserts animals and returns their identifiers in the order of the input, which `returning` would not promise. */
export const CREATE_PETS: Statement = {
  name: 'create_pets',
  text: `
    with input as materialized (
      select nextval('pets_id_seq') as id, name, category_id, status, number
      from unnest($1::text[], $2::bigint[], $3::pet_status[]) with ordinality as input (name, category_id, status, number)),
    created as (
      insert into pets (id, name, category_id, status)
      select id, name, category_id, status from input)
    select id from input order by number`,
};
