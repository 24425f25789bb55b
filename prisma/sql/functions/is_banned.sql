create or replace function is_banned(key api_keys, counters api_key_counters) returns boolean
language sql stable parallel safe
return coalesce(
  counters.banned_until > present()
    and counters.banned_at > coalesce(case when key.bans_lifted_at <= latest_lift() then key.bans_lifted_at end, '-infinity')
    and counters.minute <= trusted_until(),
  false);

comment on function is_banned is 'Whether the last ban of a key is in force: not ended, lifted or set by another clock.';
