create or replace trigger api_keys_explain_times
  before insert or update of expires_at, suspended_until, revoked_at, usage_reset_at on api_keys
  for each row when (not (
    (not isfinite(new.expires_at) or is_instant(new.expires_at))
    and (not isfinite(new.suspended_until) or is_instant(new.suspended_until))
    and is_instant(new.revoked_at) and is_instant(new.usage_reset_at)))
  execute function reject_change(
    'expires_at, suspended_until, revoked_at and usage_reset_at need a year of four digits',
    'To suspend forever or never expire: infinity.');
