-- From prisma/sql by "npm run migration". Changes below this line are lost.

-- With the owner's rights, as delete_plan. The id of a plan never changes, so that its audit has one name: the keys move to a new plan, all of
-- them, however many an operator may change. A key that is issued meanwhile waits, and then finds no plan.
create or replace function rename_plan(id text, new_id text) returns plan_overview
language plpgsql volatile security definer set search_path = public, pg_temp as $$
#variable_conflict use_column
declare
  changes_max constant text := coalesce(current_setting('petstore.changes_max', true), '');
  changes_made constant text := coalesce(current_setting('petstore.changes_made', true), '');
  old plans;
  result plan_overview;
begin
  select * into old from plans where id = rename_plan.id for update;
  if not found then
    raise exception 'plan "%" does not exist', rename_plan.id
      using errcode = 'no_data_found', hint = 'To see the plans: select * from plan_overview, or petstore plans list.';
  end if;
  perform create_plan(new_id, old.requests_per_minute, old.requests_per_day, old.custom, old.requests_per_month);
  -- The work of this function is neither limited nor counted.
  perform set_config('petstore.changes_max', '2147483647', true);
  update api_keys set plan_id = new_id where plan_id = old.id;
  perform set_config('petstore.changes_max', changes_max, true), set_config('petstore.changes_made', changes_made, true);
  delete from plans where id = old.id;
  select * into strict result from plan_overview where id = new_id;
  return result;
end
$$;

comment on function rename_plan is
  'Gives a plan another id, which all of its keys get: select * from rename_plan(''startup'', ''growth'').';

revoke execute on function rename_plan(text, text) from public;

create or replace view plan_overview as
select
  p.id,
  p.custom,
  p.requests_per_minute,
  p.requests_per_day,
  coalesce(k.keys, 0) as keys,
  coalesce(live.keys, 0) as live_keys,
  coalesce(k.suspended_keys, 0) as suspended_keys,
  coalesce(used.active_keys, 0) as active_keys,
  coalesce(used.near_limit_keys, 0) as near_limit_keys,
  p.requests_per_month
from plans p
left join (
  select k.plan_id, count(*) as keys, count(*) filter (where is_suspended(k) and k.revoked_at is null) as suspended_keys
  from api_keys k
  group by k.plan_id
) as k on k.plan_id = p.id
left join (
  select a.plan_id, count(*) as keys
  from api_keys a
  where is_valid(a)
    and exists (select from api_key_secrets s where s.api_key_id = a.id and is_valid(s))
  group by a.plan_id
) as live on live.plan_id = p.id
left join (
  select
    k.plan_id,
    count(*) as active_keys,
    count(*) filter (
      where c.day_admitted > 0.8 * day_limit(k, p) and is_valid(k) and not awaits_reset(k, c)
        and k.id in (select s.api_key_id from api_key_secrets s where is_valid(s))
    ) as near_limit_keys
  from api_key_counters c
  join api_keys k on k.id = c.api_key_id
  join plans p on p.id = k.plan_id
  where counts_in_day(c)
  group by k.plan_id
) as used on used.plan_id = p.id;

comment on view plan_overview is 'Every plan with its limits and the number of its keys.';
comment on column plan_overview.live_keys is 'Keys that have a secret and are neither revoked nor expired, including suspended and banned keys.';
comment on column plan_overview.custom is 'True if the plan has no limits and each of its keys has its own.';
comment on column plan_overview.requests_per_minute is 'Requests that each key may make in a UTC minute; null on a custom plan.';
comment on column plan_overview.requests_per_day is 'Requests that each key may make in a UTC day; null on a custom plan.';
comment on column plan_overview.keys is 'Keys of the plan, also revoked and expired ones.';
comment on column plan_overview.suspended_keys is 'Those that an operator has suspended.';
comment on column plan_overview.active_keys is 'Those with a request in the present UTC day, admitted or limited.';
comment on column plan_overview.near_limit_keys is 'Those that have used more than 80 % of their day.';
comment on column plan_overview.requests_per_month is 'Requests that each key may make in a UTC month; null: no such limit.';

-- Only the last ban of a key is in the counters, and may be in force. Who lifted a ban is in the audit.
create or replace view recent_bans as
select
  b.began_at, b.api_key_id, k.name, k.plan_id, b.ends_at, b.minute_limit, b.day_limit,
  lifted.at as lifted_at,
  is_banned(k, c) as in_force,
  b.month_limit
from api_key_bans b
left join api_keys k on k.id = b.api_key_id
left join api_key_counters c on c.api_key_id = b.api_key_id and c.banned_at = b.began_at
left join lateral (
  select min(a.changed_at) as at
  from audit_log a
  where a.api_key_id = b.api_key_id
    and a.changed_at between b.began_at and b.ends_at
    and (a.new ->> 'bans_lifted_at')::timestamptz >= b.began_at
) as lifted on true
order by b.began_at desc;

comment on view recent_bans is 'Bans, the last one first, with the limits that the key had. lifted_at is when an operator ended it.';
comment on column recent_bans.began_at is 'When the rejection came that began the ban.';
comment on column recent_bans.ends_at is 'When the ban ends unless an operator lifts it.';
comment on column recent_bans.minute_limit is 'The limit per minute that was in force.';
comment on column recent_bans.day_limit is 'The limit per day that was in force.';
comment on column recent_bans.lifted_at is 'When an operator lifted the ban; null if none did.';
comment on column recent_bans.in_force is 'Whether the ban rejects requests at this time.';
comment on column recent_bans.month_limit is 'The limit per month that was in force; null if there was none.';
