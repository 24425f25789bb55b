create or replace trigger api_keys_not_deleted
  before delete or truncate on api_keys
  for each statement execute function reject_change(
    'keys cannot be deleted', 'Revoke the key instead: select * from revoke_api_key(id).');
