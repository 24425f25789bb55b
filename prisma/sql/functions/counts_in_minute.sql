create or replace function counts_in_minute(counters api_key_counters) returns boolean
language sql stable parallel safe
return counters.minute + interval '1 minute' > present() and counters.minute <= trusted_until();

comment on function counts_in_minute is 'Whether the minute counts are current, that is, the minute has not ended. Null without counters.';
