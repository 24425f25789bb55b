create or replace trigger api_keys_explain_values
  before insert or update of name, plan_id, customer on api_keys
  for each row execute function explain_key_values();
