create or replace function day_limit(key api_keys, plan plans) returns integer
language sql stable parallel safe
return coalesce(key.requests_per_day, plan.requests_per_day);

comment on function day_limit is 'The limit per day in force: the key''s own, or its plan''s.';
