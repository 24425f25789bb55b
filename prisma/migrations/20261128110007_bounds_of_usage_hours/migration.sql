alter table api_key_usage_hours
  add constraint api_key_usage_hours_bounded check (
    greatest(requests, total_ms) <= count_max() and hour between '2020-01-01 00:00Z' and '9999-12-31 23:00Z'
      and char_length(operation) between 1 and 100 and operation !~ '[[:cntrl:]]') not valid;
