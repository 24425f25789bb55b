-- Fires after the statement that finishes a day has written the counters, even from a 1.1.0 replica, which has no months.
create or replace function add_to_month() returns trigger
language plpgsql set search_path = public, pg_temp as $$
begin
  update api_key_counters
  set month_before = least(month_before + new.admitted - case when tg_op = 'UPDATE' then old.admitted else 0 end, count_max() / 4)
  where api_key_id = new.api_key_id
    and month = date_trunc('month', new.day::timestamp)::date;
  return null;
end
$$;

comment on function add_to_month is 'Adds a finished day to the sum of its month in the counters.';

revoke execute on function add_to_month() from public;
