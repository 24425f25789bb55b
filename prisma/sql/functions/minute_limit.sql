create or replace function minute_limit(key api_keys, plan plans) returns integer
language sql stable parallel safe
return coalesce(key.requests_per_minute, plan.requests_per_minute);

comment on function minute_limit is 'The limit per minute in force: the key''s own, or its plan''s.';
