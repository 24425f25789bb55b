create or replace function is_suspended(key api_keys) returns boolean
language sql stable parallel safe
return coalesce(key.suspended_until > present(), false);

comment on function is_suspended is 'Whether a key is suspended by an operator at present.';
