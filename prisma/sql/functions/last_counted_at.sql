create or replace function last_counted_at(counters api_key_counters) returns timestamptz
language sql stable parallel safe
return case when counters.minute > '-infinity' and counters.minute <= trusted_until() then counters.minute end;

comment on function last_counted_at is 'The minute of the last counted request; null if there was none.';
