-- What operators see and call, for the columns of the two migrations before. In one of its own, so that no table in use is locked for it.

-- As before, with the access as the last column, and without what a reset that is not applied yet will empty.
create or replace view api_key_overview as
select
  k.id,
  k.name,
  k.plan_id,
  case
    when k.revoked_at is not null then 'revoked'
    when k.expires_at <= clock.now or s.ends_at <= clock.now then 'expired'
    when s.prefix is null then 'unissued'
    when k.suspended_until > clock.now then 'suspended'
    when ban.stands then 'banned'
    else 'live'
  end as state,
  coalesce(k.requests_per_minute, p.requests_per_minute) as requests_per_minute,
  coalesce(k.requests_per_day, p.requests_per_day) as requests_per_day,
  k.requests_per_minute is not null or k.requests_per_day is not null as own_limits,
  case when present.minute and not present.reset then c.minute_admitted else 0 end as minute_admitted,
  case when present.minute then c.minute_refused else 0 end as minute_refused,
  case when present.day and not present.reset then c.day_admitted else 0 end as day_admitted,
  case when present.day then c.day_refused else 0 end as day_refused,
  -- Without counters, the day of the last use is in the history.
  coalesce(
    case when present.trusted and c.minute > '-infinity' then c.minute end,
    (select max(u.day)::timestamp at time zone 'UTC' from api_key_usage u where u.api_key_id = k.id)
  ) as last_used_at,
  case when ban.stands then c.banned_at end as banned_at,
  case when ban.stands then c.banned_until end as banned_until,
  case when k.suspended_until > clock.now then k.suspended_until end as suspended_until,
  least(k.expires_at, nullif(s.ends_at, 'infinity')) as expires_at,
  k.revoked_at,
  s.prefix,
  coalesce(s.working, 0) as secrets,
  k.created_at,
  k.access
from (select statement_timestamp() as now) as clock
cross join api_keys k
join plans p on p.id = k.plan_id
left join api_key_counters c on c.api_key_id = k.id
cross join lateral (
  select
    c.minute <= clock.now + interval '2 minutes' as trusted,
    k.usage_reset_at is not null and k.usage_reset_at is distinct from c.usage_reset_at as reset,
    c.minute <= clock.now + interval '2 minutes' and c.minute + interval '1 minute' > clock.now as minute,
    c.minute <= clock.now + interval '2 minutes' and c.day >= (clock.now at time zone 'UTC')::date as day
) as present
cross join lateral (
  select
    present.trusted and c.banned_until > clock.now and c.banned_at > coalesce(k.bans_lifted_at, '-infinity') as stands
) as ban
left join lateral (
  select
    (array_agg(x.prefix order by x.created_at desc))[1] as prefix,
    max(coalesce(x.expires_at, 'infinity')) as ends_at,
    (count(*) filter (where x.expires_at is null or x.expires_at > clock.now))::integer as working
  from api_key_secrets x
  where x.api_key_id = k.id
) as s on true;

comment on column api_key_overview.access is 'read: GET and HEAD alone; write: everything.';

create function set_api_key_access(id bigint, access api_key_access) returns api_key_overview
language plpgsql volatile set search_path = public, pg_temp as $$
#variable_conflict use_column
begin
  update api_keys set access = set_api_key_access.access where id = set_api_key_access.id;
  return api_key_overview_of(set_api_key_access.id);
end
$$;

comment on function set_api_key_access is
  'Lets a key only read, or write as well: select * from set_api_key_access(7, ''read'').';

revoke execute on function set_api_key_access(bigint, api_key_access) from public;
comment on column api_key_overview.minute_admitted is 'Requests admitted in the current UTC minute, since the last reset.';
comment on column api_key_overview.day_admitted is 'Requests admitted in the current UTC day, since the last reset; api_key_daily_usage has all of them.';

create function reset_api_key_usage(id bigint) returns api_key_overview
language plpgsql volatile set search_path = public, pg_temp as $$
#variable_conflict use_column
begin
  update api_keys set usage_reset_at = clock_timestamp() where id = reset_api_key_usage.id;
  return api_key_overview_of(reset_api_key_usage.id);
end
$$;

comment on function reset_api_key_usage is
  'Gives a key both of its windows anew; bans and rejections stay: select * from reset_api_key_usage(7).';

revoke execute on function reset_api_key_usage(bigint) from public;
