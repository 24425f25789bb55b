create or replace trigger plans_not_deleted_with_keys
  before delete on plans
  for each row execute function reject_deleting_used_plan();
