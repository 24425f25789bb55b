create or replace trigger plans_explain_numbers
  before insert or update on plans
  for each row execute function explain_plan_numbers();
