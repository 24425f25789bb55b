create or replace function set_api_key_plan(
  id bigint,
  plan text,
  per_minute integer default null,
  per_day integer default null,
  per_month integer default null)
returns api_key_overview
language plpgsql volatile set search_path = public, pg_temp as $$
#variable_conflict use_column
begin
  update api_keys
  set plan_id = set_api_key_plan.plan, requests_per_minute = per_minute, requests_per_day = per_day,
    requests_per_month = per_month
  where id = set_api_key_plan.id;
  return api_key_overview_of(set_api_key_plan.id);
end
$$;

comment on function set_api_key_plan is
  'Moves a key to another plan; without limits it gets those of the plan: select * from set_api_key_plan(7, ''business'').';

revoke execute on function set_api_key_plan(bigint, text, integer, integer, integer) from public;
