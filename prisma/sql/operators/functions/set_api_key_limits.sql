create or replace function set_api_key_limits(
  id bigint,
  per_minute integer,
  per_day integer,
  per_month integer default -1) returns api_key_overview
language plpgsql volatile set search_path = public, pg_temp as $$
#variable_conflict use_column
begin
  update api_keys
  set requests_per_minute = per_minute, requests_per_day = per_day,
    requests_per_month = case per_month when -1 then requests_per_month else per_month end
  where id = set_api_key_limits.id;
  return api_key_overview_of(set_api_key_limits.id);
end
$$;

comment on function set_api_key_limits is
  'Sets a key''s own limits; null means the limit of the plan, and per_month stays unless it is given: select * from set_api_key_limits(7, per_minute => 600, per_day => null).';

revoke execute on function set_api_key_limits(bigint, integer, integer, integer) from public;
