create or replace function awaits_reset(key api_keys, counters api_key_counters) returns boolean
language sql stable parallel safe
return key.usage_reset_at is not null and key.usage_reset_at is distinct from counters.usage_reset_at;

comment on function awaits_reset is 'Whether the next request of a key resets its admitted counts, because an operator requested a reset.';
