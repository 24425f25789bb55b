-- Requests go on meanwhile.
alter table api_key_usage validate constraint api_key_usage_bounded;
