-- Requests go on meanwhile.
alter table api_key_secrets validate constraint api_key_secrets_expires_at_is_instant;
