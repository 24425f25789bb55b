alter table plans
  add column requests_per_month integer,
  add constraint plans_requests_per_month_positive check (requests_per_month >= 1) not valid,
  add constraint plans_no_month_if_custom check (not custom or requests_per_month is null) not valid;
