-- Reads the hours once, not once per key.
create or replace function plan_change_preview(plan text, per_minute integer default null, per_day integer default null, per_month integer default null)
returns table (
  api_key_id bigint, name text, own_minute_limit boolean, own_day_limit boolean,
  hours_over bigint, highest_minute bigint, days_over bigint, highest_day bigint,
  own_month_limit boolean, months_over bigint, highest_month bigint)
language plpgsql stable rows 100 set search_path = public, pg_temp as $$
begin
  if not exists (select from plans where id = plan) then
    raise exception 'plan "%" does not exist', plan
      using errcode = 'no_data_found', hint = 'To see the plans: select * from plan_overview, or petstore plans list.';
  end if;
  return query
  with affected as (
    select * from api_keys k where k.plan_id = plan and is_valid(k)
  ), hours as (
    select peak.api_key_id, count(*) as hours_over, max(peak.highest) as highest
    from (
      select u.api_key_id, u.hour, max(u.minute_peak) as highest
      from api_key_usage_hours u
      where u.minute_peak > per_minute
        and u.api_key_id in (select affected.id from affected)
        and u.hour between this_hour() - interval '35 days' and trusted_until()
      group by u.api_key_id, u.hour
    ) as peak
    group by peak.api_key_id
  ), days as (
    select u.api_key_id, count(*) as days_over, max(u.admitted) as highest
    from api_key_daily_usage u
    where u.admitted > per_day
      and u.api_key_id in (select affected.id from affected)
      and u.day > today() - 35
      and u.day <= (trusted_until() at time zone 'UTC')::date
    group by u.api_key_id
  ), months as (
    select used.api_key_id, count(*) as months_over, max(used.admitted) as highest
    from (
      select u.api_key_id, saturated(sum(u.admitted)) as admitted
      from api_key_daily_usage u
      where per_month is not null
        and u.api_key_id in (select affected.id from affected)
        and u.day >= (date_trunc('month', today()::timestamp) - interval '1 month')::date
        and u.day <= (trusted_until() at time zone 'UTC')::date
      group by u.api_key_id, date_trunc('month', u.day::timestamp)
    ) as used
    where used.admitted > per_month
    group by used.api_key_id
  )
  select
    k.id, k.name, k.requests_per_minute is not null, k.requests_per_day is not null,
    coalesce(hours.hours_over, 0), hours.highest, coalesce(days.days_over, 0), days.highest,
    k.requests_per_month is not null, coalesce(months.months_over, 0), months.highest
  from affected k
  left join hours on hours.api_key_id = k.id
  left join days on days.api_key_id = k.id
  left join months on months.api_key_id = k.id
  where num_nonnulls(hours.hours_over, days.days_over, months.months_over) > 0
  order by hours.hours_over desc nulls last, days.days_over desc nulls last, months.months_over desc nulls last, k.id;
end
$$;

comment on function plan_change_preview is
  'The keys of a plan that lower limits would have hurt in the last 35 days: those with a busier minute or day, in how many hours or days, and the peak; by month, this one and the last. A key with a limit of its own is not affected by that of the plan. Requests during bans are unknown: select * from plan_change_preview(''free'', per_minute => 30).';

revoke execute on function plan_change_preview(text, integer, integer, integer) from public;
