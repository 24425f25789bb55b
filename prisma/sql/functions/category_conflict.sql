-- It tries, because only the unique index knows what open transactions have inserted, and undoes it.
create or replace function category_conflict(new_name text) returns text
language plpgsql volatile set search_path = public, pg_temp set lock_timeout = '5ms' as $$
begin
  insert into categories values ((-9e18 * random())::bigint, new_name);
  raise sqlstate 'UNDO0';
exception
  when sqlstate 'UNDO0' then return null;
  when unique_violation then return 'category_exists';
  when lock_not_available then return 'locked';
end
$$;

comment on function category_conflict is
  'Why no category can get a name: category_exists (one has it, but for the case of ASCII letters), locked (an open transaction is giving it away), or null.';
