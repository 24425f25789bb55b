create or replace trigger plans_explain_limits
  before insert or update of requests_per_minute, requests_per_day, requests_per_month on plans
  for each row when (new.requests_per_minute < 1 or new.requests_per_day < 1 or new.requests_per_month < 1)
  execute function explain_limits(
    'To stop the keys of a plan, suspend them: select suspend_api_key(id) from api_keys where plan_id = ….');
