-- Numbers that are skipped are never looked at again, because a sequence is not rolled back, also where the statement runs out of its time.
-- After 64 used ones the steps double, up to 65,536: a million in sequence take some ninety look-ups. setval could set the sequence back.
create or replace function new_category() returns categories
language plpgsql volatile set search_path = public, pg_temp as $$
declare
  next_id bigint;
  step bigint := 0;
  tries int := 0;
begin
  loop
    next_id := nextval('categories_id_seq');
    exit when not exists (select from categories where id = next_id) and not has_pets(next_id);
    tries := tries + 1;
    continue when tries < 64;
    step := least(greatest(64, 2 * step), 65536);
    perform nextval('categories_id_seq') from generate_series(1, step);
  end loop;
  return row(next_id, null)::categories;
end
$$;

comment on function new_category is 'A category with a number that neither a category nor a pet uses.';
