alter table api_key_usage_hours
  add constraint api_key_usage_hours_bounded check (
    greatest(requests, total_ms) <= count_max() and is_instant(hour)
      and char_length(operation) between 1 and 100 and operation !~ '[[:cntrl:]]') not valid;
