create or replace trigger api_keys_explain_limits
  before insert or update of requests_per_minute, requests_per_day, requests_per_month on api_keys
  for each row when (new.requests_per_minute < 1 or new.requests_per_day < 1 or new.requests_per_month < 1)
  execute function explain_limits(
    'Null means the limit of the plan. To stop a key: select * from suspend_api_key(id), or petstore keys suspend ID.');
