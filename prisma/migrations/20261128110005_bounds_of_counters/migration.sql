-- What a leaked password of the service can write to the counters: nothing that a statement of admission or of a view cannot compute with.
alter table api_key_counters
  add constraint api_key_counters_counts_bounded check (
    greatest(minute_admitted, minute_refused, day_admitted, day_refused) <= count_max()) not valid,
  add constraint api_key_counters_instants check (
    (minute = '-infinity' or is_instant(minute)) and is_instant(banned_at) and is_instant(usage_reset_at)) not valid;
