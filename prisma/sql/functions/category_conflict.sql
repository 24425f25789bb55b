-- Inserts and rolls back, because only the unique index sees the rows of open transactions.
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
  'Why a category name is unavailable: category_exists (taken, ignoring ASCII case), locked (an open transaction is assigning it); null if it is free.';
