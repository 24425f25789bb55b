alter table api_key_counters
  add constraint api_key_counters_generation check (generation between 0 and count_max()) not valid;
