create or replace trigger api_keys_follow_plan
  before insert or update of plan_id, plan_custom, requests_per_minute, requests_per_day, requests_per_month on api_keys
  for each row execute function follow_plan();
