create or replace trigger api_key_secrets_keep_identity
  before update of hash, api_key_id, prefix, created_at on api_key_secrets
  for each row when (
    (old.hash, old.api_key_id, old.prefix, old.created_at)
      is distinct from (new.hash, new.api_key_id, new.prefix, new.created_at))
  execute function reject_change(
    'only expires_at of a secret can change', 'To add a secret: select * from rotate_api_key(id).');
