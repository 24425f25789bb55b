-- The function returns one column more, and the view selects from it: both are made anew, with the rights that they had.
create temporary table former_rights on commit drop as
select format('grant %s%s on %s to %s%s', privilege_type, columns, object, case grantee when 0 then 'public' else quote_ident(pg_get_userbyid(grantee)) end,
  case when is_grantable then ' with grant option' end) as statement
from (
  select 'busiest_api_keys' as object, '' as columns, relowner as owner, relacl as acl from pg_class where oid = 'busiest_api_keys'::regclass
  union all
  select 'busiest_api_keys', format(' (%I)', attname), relowner, attacl
  from pg_attribute join pg_class c on c.oid = attrelid where attrelid = 'busiest_api_keys'::regclass and attacl is not null
  union all
  select 'function busiest_api_keys_since(timestamptz)', '', proowner, proacl from pg_proc where oid = 'busiest_api_keys_since(timestamptz)'::regprocedure
) as objects
cross join lateral aclexplode(acl)
where grantee <> owner;

drop view busiest_api_keys;
drop function busiest_api_keys_since(timestamptz);

create or replace function busiest_api_keys_since(first_hour timestamptz)
returns table (
  api_key_id bigint, name text, plan_id text, requests bigint,
  success bigint, client_error bigint, server_error bigint, limited bigint, banned bigint, unauthorized bigint,
  mean_ms numeric, last_hour timestamptz, undecided bigint, suspended bigint)
language sql stable rows 100 set search_path = public, pg_temp as $$
  with bounds as materialized (
    select
      case
        when first_hour is not null
        then date_trunc('hour', greatest(first_hour, (select min(hour) from api_key_usage_hours)), 'UTC')
      end as from_hour,
      trusted_until() as to_hour
  )
  select
    busiest.api_key_id, k.name, k.plan_id, busiest.requests,
    by_outcome.success, by_outcome.client_error, by_outcome.server_error,
    by_outcome.limited, by_outcome.banned, by_outcome.unauthorized,
    by_outcome.mean_ms, by_outcome.last_hour, by_outcome.undecided, by_outcome.suspended
  from (
    select u.api_key_id, saturated(sum(u.requests)) as requests
    from api_key_usage_hours u
    where u.hour between (select from_hour from bounds) and (select to_hour from bounds)
    group by u.api_key_id
    order by requests desc, u.api_key_id
    limit 100
  ) as busiest
  cross join lateral (
    select
      coalesce(saturated(sum(u.requests) filter (where outcome = 'success')), 0) as success,
      coalesce(saturated(sum(u.requests) filter (where outcome = 'client_error')), 0) as client_error,
      coalesce(saturated(sum(u.requests) filter (where outcome = 'server_error')), 0) as server_error,
      coalesce(saturated(sum(u.requests) filter (where outcome = 'limited')), 0) as limited,
      coalesce(saturated(sum(u.requests) filter (where outcome = 'banned')), 0) as banned,
      coalesce(saturated(sum(u.requests) filter (where outcome = 'unauthorized')), 0) as unauthorized,
      coalesce(saturated(sum(u.requests) filter (where outcome = 'undecided')), 0) as undecided,
      coalesce(saturated(sum(u.requests) filter (where outcome = 'suspended')), 0) as suspended,
      round(sum(u.total_ms) / nullif(sum(u.requests), 0), 1) as mean_ms,
      max(u.hour) as last_hour
    from bounds
    cross join generate_series(from_hour, to_hour, interval '1 hour') as of_hour
    join api_key_usage_hours u on u.hour = of_hour
    where u.api_key_id = busiest.api_key_id
  ) as by_outcome
  left join api_keys k on k.id = busiest.api_key_id
  order by busiest.requests desc, busiest.api_key_id
$$;

comment on function busiest_api_keys_since is
  'The hundred keys with the most requests since an hour, rejected ones included, as in busiest_api_keys: select * from busiest_api_keys_since(this_hour() - interval ''7 days'').';

revoke execute on function busiest_api_keys_since(timestamptz) from public;

create or replace view busiest_api_keys as
select api_key_id, name, plan_id, requests, success, client_error, server_error, limited, banned, unauthorized, mean_ms, last_hour, undecided, suspended
from busiest_api_keys_since(this_hour() - interval '23 hours');

comment on view busiest_api_keys is 'The hundred keys with the most requests of the last 24 hours, rejected ones included.';
comment on column busiest_api_keys.requests is 'All requests of the last 24 hours.';
comment on column busiest_api_keys.success is 'Admitted, with a status below 400.';
comment on column busiest_api_keys.client_error is 'Admitted, with a 4xx status.';
comment on column busiest_api_keys.server_error is 'Admitted, with a 5xx status.';
comment on column busiest_api_keys.limited is 'Rejected because a limit was used up (429).';
comment on column busiest_api_keys.banned is 'Rejected because of a ban (429); before 2.0 also because of a suspension (403).';
comment on column busiest_api_keys.unauthorized is 'Rejected because the key is revoked or expired (401).';
comment on column busiest_api_keys.mean_ms is 'Mean milliseconds from the headers of a request to its response.';
comment on column busiest_api_keys.last_hour is 'The last hour with requests.';
comment on column busiest_api_keys.undecided is 'Rejected because the database was unavailable, or on overload (503).';
comment on column busiest_api_keys.suspended is 'Rejected because of a suspension (403), since 2.0.';

do $$
declare
  statement text;
begin
  for statement in select former_rights.statement from former_rights loop
    execute statement;
  end loop;
end
$$;
