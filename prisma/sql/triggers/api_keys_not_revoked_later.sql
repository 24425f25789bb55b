-- A clock may be a minute ahead.
create or replace trigger api_keys_not_revoked_later
  before insert or update of revoked_at on api_keys
  for each row when (new.revoked_at > statement_timestamp() + interval '1 minute')
  execute function reject_later_revocation();
