-- A suspension and an expiry may be infinite.
alter table api_keys
  add constraint api_keys_expires_at_is_instant check (not isfinite(expires_at) or is_instant(expires_at)) not valid,
  add constraint api_keys_suspended_until_is_instant check (not isfinite(suspended_until) or is_instant(suspended_until)) not valid,
  add constraint api_keys_revoked_at_is_instant check (is_instant(revoked_at)) not valid,
  add constraint api_keys_bans_lifted_at_is_instant check (is_instant(bans_lifted_at)) not valid,
  add constraint api_keys_usage_reset_at_is_instant check (is_instant(usage_reset_at)) not valid;
