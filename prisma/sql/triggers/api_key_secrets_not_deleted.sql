create or replace trigger api_key_secrets_not_deleted
  before delete or truncate on api_key_secrets
  for each statement execute function reject_change(
    'secrets cannot be deleted', 'Let the secret expire instead: update api_key_secrets set expires_at = now() where ….');
