create or replace function create_plan(
  id text,
  per_minute integer default null,
  per_day integer default null,
  custom boolean default false,
  per_month integer default null)
returns plan_overview
language plpgsql volatile set search_path = public, pg_temp as $$
#variable_conflict use_column
declare
  result plan_overview;
begin
  insert into plans (id, requests_per_minute, requests_per_day, custom, requests_per_month)
  values (create_plan.id, per_minute, per_day, coalesce(create_plan.custom, false), per_month)
  on conflict (id) do nothing;
  if not found then
    raise exception 'plan "%" already exists', create_plan.id
      using errcode = 'unique_violation', hint = 'To change it: select * from set_plan(…), or petstore plans set.';
  end if;
  select * into strict result from plan_overview where plan_overview.id = create_plan.id;
  return result;
end
$$;

comment on function create_plan is
  'Creates a plan: select * from create_plan(''startup'', per_minute => 600, per_day => 50000). With custom => true the plan has no limits and each of its keys has its own.';

revoke execute on function create_plan(text, integer, integer, boolean, integer) from public;
