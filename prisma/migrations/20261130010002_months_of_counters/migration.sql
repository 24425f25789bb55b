alter table api_key_counters
  add column month date,
  add column month_before bigint,
  add constraint api_key_counters_month check (
    month between '0001-01-01' and '9999-12-31' and month_before between 0 and 4611686018427387903) not valid;
