-- The counters hold only the last ban of a key, which may be in force. The audit log has who lifted it.
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

comment on view recent_bans is 'Bans, latest first, with the key''s limits at the time. lifted_at is when an operator ended it.';
comment on column recent_bans.began_at is 'When a rejection started the ban.';
comment on column recent_bans.ends_at is 'When the ban ends unless an operator lifts it.';
comment on column recent_bans.minute_limit is 'The limit per minute that was in force.';
comment on column recent_bans.day_limit is 'The limit per day that was in force.';
comment on column recent_bans.lifted_at is 'When an operator lifted the ban; null if none did.';
comment on column recent_bans.in_force is 'Whether the ban rejects requests at this time.';
comment on column recent_bans.month_limit is 'The limit per month that was in force; null if there was none.';
