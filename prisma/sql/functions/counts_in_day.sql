create or replace function counts_in_day(counters api_key_counters) returns boolean
language sql stable parallel safe
return counters.day >= today() and counters.minute <= trusted_until();

comment on function counts_in_day is 'Whether the day counts are current, that is, the day has not ended. Null without counters.';
