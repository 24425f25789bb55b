create or replace function set_plan(
  id text,
  per_minute integer default null,
  per_day integer default null,
  custom boolean default null,
  per_month integer default -1)
returns plan_overview
language plpgsql volatile set search_path = public, pg_temp as $$
#variable_conflict use_column
declare
  result plan_overview;
begin
  -- Setting custom, which a foreign key references, waits for each transaction that has issued keys of the plan.
  if set_plan.custom <> (select custom from plans where id = set_plan.id for no key update) then
    update plans
    set custom = set_plan.custom, requests_per_minute = per_minute, requests_per_day = per_day,
      requests_per_month = case when per_month is distinct from -1 then per_month when not set_plan.custom then requests_per_month end
    where id = set_plan.id;
  else
    update plans
    set requests_per_minute = coalesce(per_minute, requests_per_minute), requests_per_day = coalesce(per_day, requests_per_day),
      requests_per_month = case per_month when -1 then requests_per_month else per_month end
    where id = set_plan.id;
  end if;
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
  'Changes a plan; arguments that you omit stay unchanged: select * from set_plan(''pro'', per_minute => 600). per_month => null removes the monthly limit.';

revoke execute on function set_plan(text, integer, integer, boolean, integer) from public;
