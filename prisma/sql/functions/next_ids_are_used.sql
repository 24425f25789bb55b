-- 64 ids: as many as two statements take.
create or replace function next_ids_are_used(of_table text, after bigint) returns boolean
language plpgsql stable set search_path = public, pg_temp as $$
declare
  found_one boolean;
begin
  execute format('select exists (select from %I where id > $1 and id <= least($1, 9223372036854775807 - 64) + 64)', of_table) into found_one using after;
  return found_one;
end
$$;

comment on function next_ids_are_used is 'Whether a table has one of the 64 ids after the given one.';
