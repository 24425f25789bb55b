-- Each of these functions gets a last argument. Beside the former one each released call would be ambiguous, so that goes, and who may call
-- it may call the new one.
create temporary table former_rights on commit drop as
select proname, case grantee when 0 then 'public' else quote_ident(pg_get_userbyid(grantee)) end as grantee, is_grantable
from pg_proc
cross join lateral aclexplode(proacl)
where pronamespace = 'public'::regnamespace and grantee <> proowner and proname in (
  'create_plan', 'set_plan', 'set_api_key_limits', 'set_api_key_plan', 'issue_api_key', 'issue_api_keys', 'issue_customer_api_key', 'issue_customer_api_keys', 'plan_change_preview');

drop function create_plan(text, integer, integer, boolean);
drop function set_plan(text, integer, integer, boolean);
drop function set_api_key_limits(bigint, integer, integer);
drop function set_api_key_plan(bigint, text, integer, integer);
drop function issue_api_key(text, text, integer, integer, timestamptz);
drop function issue_api_keys(text[], text, integer, integer, timestamptz, api_key_access);
drop function issue_customer_api_key(text, text, text, integer, integer, timestamptz, api_key_access);
drop function issue_customer_api_keys(text[], text[], text, integer, integer, timestamptz, api_key_access);
drop function plan_change_preview(text, integer, integer);

-- With the owner's rights: operators cannot insert secrets, so all are equally strong. Skips ids that are in use.
create or replace function issue_customer_api_keys(
  customers text[],
  names text[],
  plan text,
  per_minute integer default null,
  per_day integer default null,
  expires timestamptz default null,
  access api_key_access default 'write',
  per_month integer default null)
returns setof issued_api_key
language plpgsql volatile security definer rows 1000 set search_path = public, pg_temp as $$
#variable_conflict use_column
declare
  issued issued_api_key[];
  violated text;
begin
  if cardinality(customers) <> cardinality(names) then
    raise exception 'there are % customers for % names', cardinality(customers), cardinality(names)
      using errcode = 'invalid_parameter_value', hint = 'Pass a customer, or null, for each name.';
  end if;
  if expires <= statement_timestamp() then
    raise exception 'the expiry (%) is in the past', expires
      using errcode = 'invalid_parameter_value', hint = 'Pass a time in the future, or leave it out for a key that does not expire.';
  end if;
  loop
    begin
      with made as (
        insert into api_keys (customer, name, plan_id, requests_per_minute, requests_per_day, expires_at, access, requests_per_month)
        select customer, called, issue_customer_api_keys.plan, per_minute, per_day, expires, issue_customer_api_keys.access, per_month
        from unnest(customers, names) with ordinality as listed (customer, called, place)
        order by place
        returning api_keys as made_key
      ), issued_key as materialized (
        select made_key, (made_key).id, new_secret() as plain from made
      ), added as (
        insert into api_key_secrets (hash, api_key_id, prefix, created_at)
        select sha256(convert_to(plain, 'UTF8')), id, left(plain, 12), clock_timestamp()
        from issued_key
      )
      select array_agg(
        row(i.id, plain, (made_key).name, left(plain, 12), p.id, minute_limit(made_key, p), day_limit(made_key, p), (made_key).expires_at)::issued_api_key
        order by i.id)
        into issued
        from issued_key i
        join plans p on p.id = (made_key).plan_id;
      return query select * from unnest(issued);
      return;
    exception when unique_violation then
      get stacked diagnostics violated = constraint_name;
      if violated = 'api_keys_pkey' then
        perform skip_used_ids('api_keys');
      elsif violated = 'audit_log_pkey' then
        perform skip_used_ids('audit_log');
      else
        raise;
      end if;
    end;
  end loop;
end
$$;

comment on function issue_customer_api_keys is
  'Issues a key for each name and customer (or null), in input order, and returns them, once: select * from issue_customer_api_keys(array[''crm-7'', ''crm-8''], array[''Acme'', ''Globex''], plan => ''pro'').';

revoke execute on function issue_customer_api_keys(text[], text[], text, integer, integer, timestamptz, api_key_access, integer) from public;

create or replace function create_plan(
  id text,
  per_minute integer default null,
  per_day integer default null,
  custom boolean default false,
  per_month integer default null)
returns plan_overview
language plpgsql volatile set search_path = public, pg_temp as $$
#variable_conflict use_column
declare
  result plan_overview;
begin
  insert into plans (id, requests_per_minute, requests_per_day, custom, requests_per_month)
  values (create_plan.id, per_minute, per_day, coalesce(create_plan.custom, false), per_month)
  on conflict (id) do nothing;
  if not found then
    raise exception 'plan "%" already exists', create_plan.id
      using errcode = 'unique_violation', hint = 'To change it: select * from set_plan(…), or petstore plans set.';
  end if;
  select * into strict result from plan_overview where plan_overview.id = create_plan.id;
  return result;
end
$$;

comment on function create_plan is
  'Creates a plan: select * from create_plan(''startup'', per_minute => 600, per_day => 50000). With custom => true the plan has no limits and each of its keys has its own.';

revoke execute on function create_plan(text, integer, integer, boolean, integer) from public;

create or replace function set_plan(
  id text,
  per_minute integer default null,
  per_day integer default null,
  custom boolean default null,
  per_month integer default -1)
returns plan_overview
language plpgsql volatile set search_path = public, pg_temp as $$
#variable_conflict use_column
declare
  result plan_overview;
begin
  -- Setting custom, which a foreign key references, waits for each transaction that has issued keys of the plan.
  if set_plan.custom <> (select custom from plans where id = set_plan.id for no key update) then
    update plans
    set custom = set_plan.custom, requests_per_minute = per_minute, requests_per_day = per_day,
      requests_per_month = case when per_month is distinct from -1 then per_month when not set_plan.custom then requests_per_month end
    where id = set_plan.id;
  else
    update plans
    set requests_per_minute = coalesce(per_minute, requests_per_minute), requests_per_day = coalesce(per_day, requests_per_day),
      requests_per_month = case per_month when -1 then requests_per_month else per_month end
    where id = set_plan.id;
  end if;
  if not found then
    raise exception 'plan "%" does not exist', set_plan.id
      using errcode = 'no_data_found',
            hint = 'To see the plans: select * from plan_overview, or petstore plans list. '
                   'To create one: select * from create_plan(…), or petstore plans create.';
  end if;
  select * into strict result from plan_overview where plan_overview.id = set_plan.id;
  return result;
end
$$;

comment on function set_plan is
  'Changes a plan; arguments that you omit stay unchanged: select * from set_plan(''pro'', per_minute => 600). per_month => null removes the monthly limit.';

revoke execute on function set_plan(text, integer, integer, boolean, integer) from public;

create or replace function set_api_key_limits(
  id bigint,
  per_minute integer,
  per_day integer,
  per_month integer default -1) returns api_key_overview
language plpgsql volatile set search_path = public, pg_temp as $$
#variable_conflict use_column
begin
  update api_keys
  set requests_per_minute = per_minute, requests_per_day = per_day,
    requests_per_month = case per_month when -1 then requests_per_month else per_month end
  where id = set_api_key_limits.id;
  return api_key_overview_of(set_api_key_limits.id);
end
$$;

comment on function set_api_key_limits is
  'Sets a key''s own limits; null means the limit of the plan, and per_month stays unless it is given: select * from set_api_key_limits(7, per_minute => 600, per_day => null).';

revoke execute on function set_api_key_limits(bigint, integer, integer, integer) from public;

create or replace function set_api_key_plan(
  id bigint,
  plan text,
  per_minute integer default null,
  per_day integer default null,
  per_month integer default null)
returns api_key_overview
language plpgsql volatile set search_path = public, pg_temp as $$
#variable_conflict use_column
begin
  update api_keys
  set plan_id = set_api_key_plan.plan, requests_per_minute = per_minute, requests_per_day = per_day,
    requests_per_month = per_month
  where id = set_api_key_plan.id;
  return api_key_overview_of(set_api_key_plan.id);
end
$$;

comment on function set_api_key_plan is
  'Moves a key to another plan; without limits it gets those of the plan: select * from set_api_key_plan(7, ''business'').';

revoke execute on function set_api_key_plan(bigint, text, integer, integer, integer) from public;

create or replace function issue_api_key(
  name text,
  plan text,
  per_minute integer default null,
  per_day integer default null,
  expires timestamptz default null,
  per_month integer default null)
returns issued_api_key
language plpgsql volatile security definer set search_path = public, pg_temp as $$
begin
  perform reject_second_secret(quote_ident(name), 'issue');
  return (select issued from issue_api_keys(array[name], plan, per_minute, per_day, expires, per_month => per_month) as issued);
end
$$;

comment on function issue_api_key is
  'Issues a key and returns it, once: select * from issue_api_key(name => ''Acme web'', plan => ''pro'').';

revoke execute on function issue_api_key(text, text, integer, integer, timestamptz, integer) from public;

create or replace function issue_api_keys(
  names text[],
  plan text,
  per_minute integer default null,
  per_day integer default null,
  expires timestamptz default null,
  access api_key_access default 'write',
  per_month integer default null)
returns setof issued_api_key
language sql volatile security definer rows 1000 set search_path = public, pg_temp as $$
  select *
  from issue_customer_api_keys(
    array_fill(null::text, array[coalesce(cardinality(names), 0)]), names, plan, per_minute, per_day, expires, access, per_month)
$$;

comment on function issue_api_keys is
  'Issues a key for each name, in input order; returns them, once: select * from issue_api_keys(array[''Acme'', ''Globex''], plan => ''pro'').';

revoke execute on function issue_api_keys(text[], text, integer, integer, timestamptz, api_key_access, integer) from public;

create or replace function issue_customer_api_key(
  customer text,
  name text,
  plan text,
  per_minute integer default null,
  per_day integer default null,
  expires timestamptz default null,
  access api_key_access default 'write',
  per_month integer default null)
returns issued_api_key
language plpgsql volatile security definer set search_path = public, pg_temp as $$
begin
  perform reject_second_secret(concat_ws(' of ', quote_ident(name), quote_ident(customer)), 'issue_customer');
  return (
    select issued
    from issue_customer_api_keys(array[customer], array[name], plan, per_minute, per_day, expires, access, per_month) as issued);
end
$$;

comment on function issue_customer_api_key is
  'Issues a key of a customer, by the customer''s id elsewhere, and returns it, once: select * from issue_customer_api_key(''crm-7'', ''Acme web'', ''pro'').';

revoke execute on function issue_customer_api_key(text, text, text, integer, integer, timestamptz, api_key_access, integer) from public;

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

do $$
declare
  one record;
begin
  for one in
    select oid::regprocedure as function, grantee, is_grantable from former_rights join pg_proc using (proname)
    where pronamespace = 'public'::regnamespace
  loop
    execute format('grant execute on function %s to %s%s', one.function, one.grantee, case when one.is_grantable then ' with grant option' else '' end);
  end loop;
end
$$;
