create or replace trigger plans_keep_identity
  before update of id on plans
  for each row when (old.id is distinct from new.id)
  execute function reject_change(
    'the id of a plan cannot change',
    'Create another plan: select * from create_plan(…). Then move each key: select * from set_api_key_plan(id, plan).');
