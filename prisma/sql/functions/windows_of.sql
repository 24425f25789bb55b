-- The one list of windows in SQL, from the shortest to the longest, as src/auth/admission/windows.ts has them. Without counters nothing is used.
create or replace function windows_of(key api_keys, plan plans, counters api_key_counters)
returns table (nth integer, name text, allowed integer, is_required boolean, admitted bigint, refused bigint)
language sql stable parallel safe rows 3
begin atomic
  select w.nth, w.name, w.allowed, w.is_required,
    case when w.is_present then w.admitted else 0 end, case when w.is_present then w.refused else 0 end
  from (values
    (1, 'minute', coalesce(key.requests_per_minute, plan.requests_per_minute), true,
      counts_in_minute(counters), counters.minute_admitted, counters.minute_refused),
    (2, 'day', coalesce(key.requests_per_day, plan.requests_per_day), true,
      counts_in_day(counters), counters.day_admitted, counters.day_refused),
    (3, 'month', coalesce(key.requests_per_month, plan.requests_per_month), false,
      true,
      case when counters.month = date_trunc('month', today()::timestamp)::date then counters.month_before else 0 end
        + case when counts_in_day(counters) then counters.day_admitted else 0 end, null)
  ) as w (nth, name, allowed, is_required, is_present, admitted, refused);
end;

comment on function windows_of is
  'The windows of a key: the limit in force (null: none), and what the present one has admitted and rejected. A reset that is due is not seen: awaits_reset. Of the month it is what the counters know, which is all of it after a request of the present day.';
