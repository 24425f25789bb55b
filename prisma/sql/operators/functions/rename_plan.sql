-- With the owner's rights, like delete_plan. The id of a plan never changes, so its audit has one name: all keys move to a new
-- plan, regardless of changes_max. Concurrent key issues wait, then fail because the plan is gone.
create or replace function rename_plan(id text, new_id text) returns plan_overview
language plpgsql volatile security definer set search_path = public, pg_temp as $$
#variable_conflict use_column
declare
  changes_max constant text := coalesce(current_setting('petstore.changes_max', true), '');
  changes_made constant text := coalesce(current_setting('petstore.changes_made', true), '');
  old plans;
  result plan_overview;
begin
  select * into old from plans where id = rename_plan.id for update;
  if not found then
    raise exception 'plan "%" does not exist', rename_plan.id
      using errcode = 'no_data_found', hint = 'To see the plans: select * from plan_overview, or petstore plans list.';
  end if;
  perform create_plan(new_id, old.requests_per_minute, old.requests_per_day, old.custom, old.requests_per_month);
  -- Changes of this function are neither limited nor counted.
  perform set_config('petstore.changes_max', '2147483647', true);
  update api_keys set plan_id = new_id where plan_id = old.id;
  perform set_config('petstore.changes_max', changes_max, true), set_config('petstore.changes_made', changes_made, true);
  delete from plans where id = old.id;
  select * into strict result from plan_overview where id = new_id;
  return result;
end
$$;

comment on function rename_plan is
  'Changes the id of a plan and of all its keys: select * from rename_plan(''startup'', ''growth'').';

revoke execute on function rename_plan(text, text) from public;
