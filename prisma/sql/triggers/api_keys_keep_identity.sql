create or replace trigger api_keys_keep_identity
  before update of id, created_at on api_keys
  for each row when ((old.id, old.created_at) is distinct from (new.id, new.created_at))
  execute function reject_change(
    'id and created_at of a key cannot change', 'Issue another key: select * from issue_api_key(…).');
