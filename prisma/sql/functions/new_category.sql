-- Skipped numbers are never checked again: a sequence is not rolled back, even if the statement times out.
-- After 64 used numbers it skips the whole run, unless another transaction is doing so: the statement already holds locks,
-- so it never waits.
create or replace function new_category() returns categories
language plpgsql volatile set search_path = public, pg_temp as $$
declare
  next_id bigint;
  tries int := 0;
begin
  loop
    next_id := nextval('categories_id_seq');
    exit when not exists (select from categories where id = next_id) and not has_pets(next_id);
    tries := tries + 1;
    if tries % 64 = 0 and pg_try_advisory_xact_lock(hashtext('skip_used_ids'), hashtext('categories')) then
      perform skip_used_ids('categories');
    end if;
  end loop;
  return row(next_id, null)::categories;
end
$$;

comment on function new_category is 'A category with a number that no category or pet uses.';
