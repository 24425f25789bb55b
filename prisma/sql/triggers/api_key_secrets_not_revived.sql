-- An expired secret may since have leaked. Not statement_timestamp(): another operator may expire the secret while this
-- statement waits for its row.
create or replace trigger api_key_secrets_not_revived
  before update of expires_at on api_key_secrets
  for each row when (
    old.expires_at <= clock_timestamp() and coalesce(new.expires_at, 'infinity') > old.expires_at)
  execute function reject_change(
    'an expired secret cannot be extended', 'To add one: select * from rotate_api_key(id), or petstore keys rotate ID.');
