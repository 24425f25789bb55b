-- Requests go on meanwhile.
alter table api_key_usage_hours validate constraint api_key_usage_hours_outcome;
