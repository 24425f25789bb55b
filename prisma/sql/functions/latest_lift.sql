-- unban_api_key writes the time at which a ban began, which may be in the minute of the last trusted counters.
create or replace function latest_lift() returns timestamptz
language sql stable parallel safe
return trusted_until() + interval '1 minute';

comment on function latest_lift is 'bans_lifted_at beyond this time, three minutes ahead, is invalid: it would disable bans.';
