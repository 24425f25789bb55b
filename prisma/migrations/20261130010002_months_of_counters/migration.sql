-- PostgreSQL reads and prepares the checks of a table anew for each statement that writes to it, and every request writes here: the same
-- bounds under the same names in fewer expressions, without functions that it would have to read as well.
alter table api_key_counters
  add column month date,
  add column month_before bigint,
  drop constraint api_key_counters_not_negative,
  drop constraint api_key_counters_counts_bounded,
  drop constraint api_key_counters_generation,
  drop constraint api_key_counters_instants,
  add constraint api_key_counters_not_negative check (
    least(minute_admitted, minute_refused, day_admitted, day_refused, month_before) >= 0) not valid,
  -- count_max()
  add constraint api_key_counters_counts_bounded check (
    greatest(minute_admitted, minute_refused, day_admitted, day_refused, month_before) <= 4611686018427387903) not valid,
  add constraint api_key_counters_generation check (generation between 0 and 4611686018427387903) not valid,
  -- is_instant(); a null is left out
  add constraint api_key_counters_instants check (
    least(nullif(minute, '-infinity'), banned_at, usage_reset_at) >= '0001-01-01 00:00:00Z'
    and greatest(minute, banned_at, usage_reset_at) < '10000-01-01 00:00:00Z') not valid,
  add constraint api_key_counters_month check (month between '0001-01-01' and '9999-12-31') not valid;
