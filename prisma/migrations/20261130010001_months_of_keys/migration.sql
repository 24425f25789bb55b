alter table api_keys
  add column requests_per_month integer,
  add constraint api_keys_requests_per_month_positive check (requests_per_month >= 1) not valid;
