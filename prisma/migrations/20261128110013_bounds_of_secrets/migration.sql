alter table api_key_secrets
  add constraint api_key_secrets_expires_at_is_instant check (not isfinite(expires_at) or is_instant(expires_at)) not valid;
