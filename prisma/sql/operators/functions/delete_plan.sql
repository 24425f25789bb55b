-- With the owner's rights: a role with delete rights may also lock the whole table, and admission reads plans.
create or replace function delete_plan(id text) returns plan_overview
language plpgsql volatile security definer set search_path = public, pg_temp as $$
#variable_conflict use_column
declare
  result plan_overview;
begin
  select * into result from plan_overview where id = delete_plan.id;
  if not found then
    raise exception 'plan "%" does not exist', delete_plan.id
      using errcode = 'no_data_found', hint = 'To see the plans: select * from plan_overview, or petstore plans list.';
  end if;
  delete from plans where id = delete_plan.id;
  return result;
end
$$;

comment on function delete_plan is 'Deletes a plan without keys, not even revoked ones: select * from delete_plan(''startup'').';

revoke execute on function delete_plan(text) from public;
