create or replace function issue_api_keys(
  names text[],
  plan text,
  per_minute integer default null,
  per_day integer default null,
  expires timestamptz default null,
  access api_key_access default 'write',
  per_month integer default null)
returns setof issued_api_key
language sql volatile security definer rows 1000 set search_path = public, pg_temp as $$
  select *
  from issue_customer_api_keys(
    array_fill(null::text, array[coalesce(cardinality(names), 0)]), names, plan, per_minute, per_day, expires, access, per_month)
$$;

comment on function issue_api_keys is
  'Issues a key for each name, in input order; returns them, once: select * from issue_api_keys(array[''Acme'', ''Globex''], plan => ''pro'').';

revoke execute on function issue_api_keys(text[], text, integer, integer, timestamptz, api_key_access, integer) from public;
