create or replace trigger api_key_secrets_explain_times
  before update of expires_at on api_key_secrets
  for each row when (isfinite(new.expires_at) and not is_instant(new.expires_at))
  execute function reject_change(
    'expires_at needs a year of four digits', 'For a secret without expiry: null.');
