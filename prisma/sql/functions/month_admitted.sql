create or replace function month_admitted(counters api_key_counters) returns bigint
language sql stable parallel safe
return case when counts_in_day(counters) then counters.day_admitted else 0 end
  + case
    when counters.month = date_trunc('month', today()::timestamp)::date then counters.month_before
    else (
      select coalesce(sum(u.admitted), 0)::bigint
      from api_key_usage u
      where u.api_key_id = counters.api_key_id
        and u.day between date_trunc('month', today()::timestamp)::date and today())
    end
  -- A day that is over and not history yet, because no request has come since.
  + case when not counts_in_day(counters) and counters.day >= date_trunc('month', today()::timestamp)::date then counters.day_admitted else 0 end;

comment on function month_admitted is 'What the present UTC month has admitted of a key, also before resets. Null without counters.';
