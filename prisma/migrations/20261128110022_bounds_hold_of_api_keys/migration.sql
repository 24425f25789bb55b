-- Requests go on meanwhile.
alter table api_keys validate constraint api_keys_expires_at_is_instant;
alter table api_keys validate constraint api_keys_suspended_until_is_instant;
alter table api_keys validate constraint api_keys_revoked_at_is_instant;
alter table api_keys validate constraint api_keys_bans_lifted_at_is_instant;
alter table api_keys validate constraint api_keys_usage_reset_at_is_instant;
