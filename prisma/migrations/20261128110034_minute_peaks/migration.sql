alter table api_key_usage_hours add column minute_peak bigint;
alter table api_key_usage_hours
  add constraint api_key_usage_hours_minute_peak check (minute_peak between 0 and count_max()) not valid;
