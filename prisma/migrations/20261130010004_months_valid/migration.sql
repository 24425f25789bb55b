alter table plans
  validate constraint plans_requests_per_month_positive,
  validate constraint plans_no_month_if_custom;
alter table api_keys validate constraint api_keys_requests_per_month_positive;
alter table api_key_bans validate constraint api_key_bans_month_limit;
alter table api_key_counters
  validate constraint api_key_counters_not_negative,
  validate constraint api_key_counters_counts_bounded,
  validate constraint api_key_counters_generation,
  validate constraint api_key_counters_instants,
  validate constraint api_key_counters_month;
