-- A sequence never goes back: a number that is skipped here is never looked at again.
create or replace function new_category() returns categories
language plpgsql volatile set search_path = public, pg_temp as $$
declare
  next_id bigint;
begin
  loop
    next_id := nextval('categories_id_seq');
    exit when not exists (select from categories where id = next_id) and not has_pets(next_id);
  end loop;
  return row(next_id, null)::categories;
end
$$;

comment on function new_category is 'A category with the next number that neither a category nor a pet uses.';
