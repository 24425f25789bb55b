create or replace function set_plan(
  id text,
  per_minute integer default null,
  per_day integer default null,
  custom boolean default null)
returns plan_overview
language plpgsql volatile set search_path = public, pg_temp as $$
#variable_conflict use_column
declare
  result plan_overview;
begin
  update plans
  set
    custom = coalesce(set_plan.custom, custom),
    requests_per_minute = coalesce(per_minute, case when not coalesce(set_plan.custom, custom) then requests_per_minute end),
    requests_per_day = coalesce(per_day, case when not coalesce(set_plan.custom, custom) then requests_per_day end)
  where id = set_plan.id;
  if not found then
    raise exception 'plan "%" does not exist', set_plan.id
      using errcode = 'no_data_found',
            hint = 'To see the plans: select * from plan_overview, or petstore plans list. '
                   'To create one: select * from create_plan(…), or petstore plans create.';
  end if;
  select * into strict result from plan_overview where plan_overview.id = set_plan.id;
  return result;
end
$$;

comment on function set_plan is
  'Changes a plan; arguments that you omit stay unchanged: select * from set_plan(''pro'', per_minute => 600).';

revoke execute on function set_plan(text, integer, integer, boolean) from public;
