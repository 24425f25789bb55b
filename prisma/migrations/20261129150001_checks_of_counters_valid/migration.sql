alter table api_key_counters
  validate constraint api_key_counters_not_negative,
  validate constraint api_key_counters_counts_bounded,
  validate constraint api_key_counters_generation,
  validate constraint api_key_counters_instants;
