-- The one list of windows in SQL, from the shortest to the longest, as src/auth/admission/windows.ts has them. Without counters, usage is 0.
create or replace function windows_of(key api_keys, plan plans, counters api_key_counters)
returns table (nth integer, name text, is_required boolean, allowed integer, admitted bigint)
language sql stable parallel safe rows 3
begin atomic
  values
    (1, 'minute', true, coalesce(key.requests_per_minute, plan.requests_per_minute),
      case when counts_in_minute(counters) then counters.minute_admitted else 0 end),
    (2, 'day', true, coalesce(key.requests_per_day, plan.requests_per_day),
      case when counts_in_day(counters) then counters.day_admitted else 0 end),
    (3, 'month', false, coalesce(key.requests_per_month, plan.requests_per_month),
      case when counters.month = date_trunc('month', today()::timestamp)::date then counters.month_before else 0 end
        + case when counts_in_day(counters) then counters.day_admitted else 0 end);
end;

comment on function windows_of is
  'The windows of a key: the limit in force (null: none) and the requests admitted, per the counters: the month is complete only after a request today; minute and day include what a pending reset will clear.';
