create or replace trigger plans_explain_values
  before insert or update of id on plans
  for each row execute function explain_plan_values();
