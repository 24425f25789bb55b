-- Counts of requests are bigint, as a day of floods can count more than 2^31, and one integer out of range failed a whole
-- batch of requests. A column that a view shows cannot change its type, so the views and the functions that return their
-- rows are made again, as they were. Run "petstore db roles" afterwards, as after each migration: what was granted on
-- them is gone with them.

drop view noisiest_api_keys;
drop view api_key_daily_usage;
drop function
  api_key_overview_of(bigint), revoke_api_key(bigint), set_api_key_plan(bigint, text, integer, integer),
  set_api_key_limits(bigint, integer, integer), suspend_api_key(bigint, timestamptz, interval),
  resume_api_key(bigint), unban_api_key(bigint);
drop view api_key_overview;

alter table api_key_counters
  alter column minute_admitted type bigint,
  alter column minute_refused type bigint,
  alter column day_admitted type bigint,
  alter column day_refused type bigint;

alter table api_key_usage
  alter column admitted type bigint,
  alter column refused type bigint;

create view api_key_overview as
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
  case when present.minute then c.minute_admitted else 0 end as minute_admitted,
  case when present.minute then c.minute_refused else 0 end as minute_refused,
  case when present.day then c.day_admitted else 0 end as day_admitted,
  case when present.day then c.day_refused else 0 end as day_refused,
  -- Of a key whose counters are lost the history tells the day.
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
  k.created_at
from (select statement_timestamp() as now) as clock
cross join api_keys k
join plans p on p.id = k.plan_id
left join api_key_counters c on c.api_key_id = k.id
cross join lateral (
  select
    c.minute <= clock.now + interval '2 minutes' as trusted,
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

comment on view api_key_overview is 'Every key with its plan, the limits in force, its state and its use, at this instant.';
comment on column api_key_overview.state is
  'live, suspended (by an operator), banned (by admission), expired, revoked, or unissued: no secret was made yet, rotate_api_key makes one.';
comment on column api_key_overview.requests_per_minute is 'The limit in force: the key''s own number, or its plan''s.';
comment on column api_key_overview.requests_per_day is 'The limit in force: the key''s own number, or its plan''s.';
comment on column api_key_overview.own_limits is 'Whether the key overrides a number of its plan, or carries both on a custom plan.';
comment on column api_key_overview.minute_admitted is 'Requests admitted in the present UTC minute.';
comment on column api_key_overview.minute_refused is 'Requests refused in the present UTC minute; while a key is banned or suspended nothing is counted.';
comment on column api_key_overview.day_admitted is 'Requests admitted in the present UTC day.';
comment on column api_key_overview.day_refused is 'Requests refused in the present UTC day; while a key is banned or suspended nothing is counted.';
comment on column api_key_overview.last_used_at is 'The minute of the last request that was counted, admitted or refused.';
comment on column api_key_overview.banned_at is 'When the ban in force began; null when there is none.';
comment on column api_key_overview.banned_until is 'When the ban in force ends; null when there is none.';
comment on column api_key_overview.suspended_until is 'When the suspension in force ends; null when there is none.';
comment on column api_key_overview.expires_at is 'When the key stops working: at its own expires_at, or with its last secret.';
comment on column api_key_overview.prefix is 'The first 12 characters of the newest secret.';
comment on column api_key_overview.secrets is 'The secrets that work now, unless the key itself does not.';

-- Led by the keys, so that a look at some of them reads their days alone.
create view api_key_daily_usage as
select k.id as api_key_id, k.name, d.day, d.admitted, d.refused
from api_keys k
left join api_key_counters c on c.api_key_id = k.id
cross join lateral (
  -- Only when a clock went back has a day begun anew that is history already: then both count.
  select
    u.day,
    u.admitted + case when u.day = c.day then c.day_admitted else 0 end as admitted,
    u.refused + case when u.day = c.day then c.day_refused else 0 end as refused
  from api_key_usage u
  where u.api_key_id = k.id
  union all
  select c.day, c.day_admitted, c.day_refused
  where c.day > '-infinity'
    and not exists (select from api_key_usage u where u.api_key_id = k.id and u.day = c.day)
) as d;

comment on view api_key_daily_usage is 'Requests of each key by UTC day, the present day included; days without any are left out.';

-- Today's refusals are read from every live row: an index on them would have to be written with each refused request, and
-- end the HOT updates that admission lives by. So a look at it reads the whole of api_key_counters.
create view noisiest_api_keys as
select
  k.id, k.name, k.plan_id, k.state, k.day_refused, k.day_admitted, k.minute_refused, k.minute_admitted,
  k.requests_per_minute, k.requests_per_day, k.banned_until, k.last_used_at
from (
  select api_key_id
  from api_key_counters
  where day >= (statement_timestamp() at time zone 'UTC')::date
    and minute <= statement_timestamp() + interval '2 minutes'
    and day_refused > 0
  order by day_refused desc, api_key_id
  limit 100
) as noisy
join api_key_overview k on k.id = noisy.api_key_id
order by k.day_refused desc, k.id;

comment on view noisiest_api_keys is
  'The hundred keys with the most refusals today. What comes during a ban is not counted: look at banned_until, too.';

-- What operators do with a key, each by one call that returns the key as it is then.

create function api_key_overview_of(key_id bigint) returns api_key_overview
language plpgsql volatile set search_path = public, pg_temp as $$
declare
  found_key api_key_overview;
begin
  select * into found_key from api_key_overview where api_key_overview.id = key_id;
  if not found then
    raise exception 'there is no key %', coalesce(key_id::text, 'without an id')
      using errcode = 'no_data_found',
            hint = 'Look for it: select id, name, state from api_key_overview where name ilike ''%acme%''.';
  end if;
  return found_key;
end
$$;

create function revoke_api_key(id bigint) returns api_key_overview
language plpgsql volatile set search_path = public, pg_temp as $$
#variable_conflict use_column
begin
  update api_keys set revoked_at = coalesce(revoked_at, statement_timestamp()) where id = revoke_api_key.id;
  return api_key_overview_of(revoke_api_key.id);
end
$$;

comment on function revoke_api_key is
  'Ends a key for good, all its secrets, from the next request on: select * from revoke_api_key(7).';

create function set_api_key_plan(
  id bigint,
  plan text,
  per_minute integer default null,
  per_day integer default null)
returns api_key_overview
language plpgsql volatile set search_path = public, pg_temp as $$
#variable_conflict use_column
begin
  update api_keys
  set plan_id = set_api_key_plan.plan, requests_per_minute = per_minute, requests_per_day = per_day
  where id = set_api_key_plan.id;
  return api_key_overview_of(set_api_key_plan.id);
end
$$;

comment on function set_api_key_plan is
  'Moves a key to another plan, with the plan''s limits unless others are given: select * from set_api_key_plan(7, ''business'').';

create function set_api_key_limits(id bigint, per_minute integer, per_day integer) returns api_key_overview
language plpgsql volatile set search_path = public, pg_temp as $$
#variable_conflict use_column
begin
  update api_keys
  set requests_per_minute = per_minute, requests_per_day = per_day
  where id = set_api_key_limits.id;
  return api_key_overview_of(set_api_key_limits.id);
end
$$;

comment on function set_api_key_limits is
  'Gives a key its own limits, null for the plan''s: select * from set_api_key_limits(7, per_minute => 600, per_day => null).';

create function suspend_api_key(id bigint, until timestamptz default null, lasting interval default null)
returns api_key_overview
language plpgsql volatile set search_path = public, pg_temp as $$
#variable_conflict use_column
declare
  ends constant timestamptz := coalesce(suspend_api_key.until, statement_timestamp() + lasting, 'infinity');
begin
  if suspend_api_key.until is not null and lasting is not null then
    raise exception 'a suspension ends once'
      using errcode = 'invalid_parameter_value', hint = 'Give until or lasting, or neither: until resume_api_key(id).';
  end if;
  if ends <= statement_timestamp() then
    raise exception 'a suspension until % would be over', ends
      using errcode = 'invalid_parameter_value', hint = 'To end a suspension: select * from resume_api_key(id).';
  end if;
  update api_keys set suspended_until = ends where id = suspend_api_key.id;
  return api_key_overview_of(suspend_api_key.id);
end
$$;

comment on function suspend_api_key is
  'Has every request of a key refused for a while: select * from suspend_api_key(7, lasting => ''1 hour''), or until => ''2027-01-31 12:00Z'', or neither: until resume_api_key(7).';

create function resume_api_key(id bigint) returns api_key_overview
language plpgsql volatile set search_path = public, pg_temp as $$
#variable_conflict use_column
begin
  update api_keys set suspended_until = null where id = resume_api_key.id;
  return api_key_overview_of(resume_api_key.id);
end
$$;

comment on function resume_api_key is 'Ends a suspension; a ban goes on: select * from resume_api_key(7).';

create function unban_api_key(id bigint) returns api_key_overview
language plpgsql volatile set search_path = public, pg_temp as $$
#variable_conflict use_column
begin
  update api_keys
  set bans_lifted_at = greatest(bans_lifted_at, statement_timestamp())
  where id = unban_api_key.id;
  return api_key_overview_of(unban_api_key.id);
end
$$;

comment on function unban_api_key is
  'Lifts the bans of a key up to now, which make the next one no longer, either; a suspension goes on: select * from unban_api_key(7).';

revoke execute on function
  api_key_overview_of(bigint), revoke_api_key(bigint), set_api_key_plan(bigint, text, integer, integer),
  set_api_key_limits(bigint, integer, integer), suspend_api_key(bigint, timestamptz, interval),
  resume_api_key(bigint), unban_api_key(bigint) from public;
