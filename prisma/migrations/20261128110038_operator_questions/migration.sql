-- From prisma/sql by "npm run migration". Changes below this line are lost.

comment on table address_usage_hours is
  'The requests that were rejected by their client address and not by a key, by hour (UTC). Written every 10 s, so it may lack the last ones.';
comment on column address_usage_hours.hour is 'When the hour began (UTC).';
comment on column address_usage_hours.outcome is 'unauthorized (401: no key, or one that does not exist) or limited (429 of the address, also for public documents).';
comment on column address_usage_hours.requests is 'Requests with this outcome, of all addresses.';

comment on table api_key_usage_hours is
  'The requests of each key by hour (UTC), operation and outcome. Written every 10 s, so it may lack the last ones; the exact totals of days are in api_key_daily_usage.';
comment on column api_key_usage_hours.operation is 'The operationId of the interface; none where no route matched.';
comment on column api_key_usage_hours.outcome is
  'Of admitted requests: success (below 400), client_error (4xx), server_error (5xx). Of others: limited (429), banned (429 or 403, also suspended), unauthorized (revoked or expired), undecided (503: no database, or too many waited).';
comment on column api_key_usage_hours.total_ms is 'Milliseconds from the headers of the requests to their responses, in all.';
comment on column api_key_usage_hours.hour is 'When the hour began (UTC).';
comment on column api_key_usage_hours.requests is 'Requests with this outcome.';
comment on column api_key_usage_hours.minute_peak is
  'Of admitted requests: the most of the key that a minute of the hour had admitted after one of them, with any outcome. The peak of the hour is the greatest of its rows; null before 1.1.0.';

comment on table api_keys is 'The keys of customers. Keys are revoked, never deleted. A change applies to the next request on every replica.';
comment on column api_keys.customer is 'Whose key it is: the customer''s id in another system, 1 to 100 characters; null if none is known. What the key has used stays with it.';
comment on column api_keys.plan_custom is 'A copy of plans.custom, kept equal by the foreign key.';
comment on column api_keys.requests_per_minute is 'The key''s own limit, instead of the plan''s; required on a custom plan.';
comment on column api_keys.requests_per_day is 'The key''s own limit, instead of the plan''s; required on a custom plan.';
comment on column api_keys.suspended_until is 'Until this time all requests of the key are rejected with 403 api_key_suspended.';
comment on column api_keys.bans_lifted_at is 'Bans that began up to this time are lifted, and do not make the next ban longer.';
comment on column api_keys.access is 'read: GET and HEAD alone; write: everything.';
comment on column api_keys.usage_reset_at is 'The last reset of what both windows have admitted: select * from reset_api_key_usage(7).';
comment on column api_keys.expires_at is 'When the key stops working; null means never.';
comment on column api_keys.revoked_at is 'When the key was revoked; null if it was not. Any value revokes at once.';

-- With the owner's rights, like delete_old_usage. Two rows an hour, which need no skipping of locked ones.
create or replace function delete_old_address_usage(keep_days integer, at_most integer) returns integer
language plpgsql volatile security definer set search_path = public, pg_temp as $$
declare
  deleted integer;
begin
  delete from address_usage_hours
  where (hour, outcome) in (
    select hour, outcome
    from address_usage_hours
    where hour < today()::timestamp at time zone 'UTC' - greatest(keep_days, 2) * interval '1 day'
    order by hour, outcome
    limit at_most
  );
  get diagnostics deleted = row_count;
  return deleted;
end
$$;

comment on function delete_old_address_usage is
  'Deletes some of the hours of requests without a key whose day is older than the given number of days, but none of the last two. Returns how many.';

revoke execute on function delete_old_address_usage(integer, integer) from public;

create or replace function explain_key_values() returns trigger
language plpgsql as $$
begin
  if new.plan_id is null then
    raise exception 'plan_id is required' using
      errcode = 'not_null_violation', table = 'api_keys', column = 'plan_id',
      hint = 'The plans are: ' || (select string_agg(plans.id, ', ' order by plans.id) from public.plans) || '.';
  end if;
  if char_length(new.name) not between 1 and 255 or new.name !~ '[^[:space:]]' or new.name ~ '[[:cntrl:]]' then
    raise exception 'the name of a key must have 1 to 255 characters, at least one of them visible, and no control characters' using
      errcode = 'check_violation', table = 'api_keys', column = 'name',
      hint = 'Use the name of the customer or application, such as Acme web.';
  end if;
  if char_length(new.customer) not between 1 and 100 or new.customer !~ '[^[:space:]]' or new.customer ~ '[[:cntrl:]]' then
    raise exception 'the customer of a key must have 1 to 100 characters, at least one of them visible, and no control characters' using
      errcode = 'check_violation', table = 'api_keys', column = 'customer',
      hint = 'Use the id of the customer in another system, such as crm-4711, or null.';
  end if;
  return new;
end
$$;

comment on function explain_key_values is
  'Rejects a name, customer or plan that a constraint would reject, with a message and a hint.';

revoke execute on function explain_key_values() from public;

-- The one list of rights: prisma/roles.sql grants them, and `petstore doctor` and the tests compare them with the catalog. Each table, view
-- and function is in it. Only the owner may do the rest.
create or replace function role_rights() returns table (role name, privilege text, object name)
language sql stable rows 300 set search_path = public, pg_temp as $$
  with listed (role, privileges, columns, objects) as (values
    ('petstore_service', 'select', null, '_prisma_migrations, plans, api_keys, api_key_secrets, pet_counts, deprecated_operations'),
    ('petstore_service', 'select, insert', null, 'api_key_bans, database_outages'),
    ('petstore_service', 'select, insert, update', null, 'api_key_counters, api_key_usage, api_key_usage_hours, address_usage_hours'),
    ('petstore_service', 'select, insert, update, delete', null, 'idempotency_keys, pets, orders, categories'),
    -- For the dashboard: who changed what.
    ('petstore_service', 'select', 'changed_at, role, actor, action, table_name, api_key_id, plan_id, old, new', 'audit_log'),
    ('petstore_service', 'select', null,
      'api_key_overview, api_key_daily_usage, api_key_hourly_usage, api_keys_near_limit, deprecated_operation_callers, expiring_api_keys, last_24_hours, open_snapshots, plan_overview, plan_peaks, recent_bans, unused_api_keys'),
    -- When a row has the id of a new one already, and for old rows of usage and bans.
    ('petstore_service', 'execute', null, 'skip_used_ids, delete_old_usage, delete_old_usage_hours, delete_usage_hour, delete_old_address_usage, delete_old_bans, delete_old_database_outages'),

    -- Operators write only the columns that they decide. Ids and hashes are created by functions.
    ('petstore_operator', 'select', null, '_prisma_migrations, plans, api_keys, api_key_counters, api_key_usage, api_key_usage_hours, address_usage_hours, api_key_bans, database_outages, deprecated_operations, audit_log'),
    ('petstore_operator', 'select', null,
      'api_key_overview, api_key_daily_usage, customer_overview, plan_overview, plan_peaks, noisiest_api_keys, expiring_api_keys, api_key_hourly_usage, busiest_api_keys, '
      'api_keys_near_limit, deprecated_operation_callers, flooding_api_keys, last_24_hours, open_snapshots, recent_bans, unused_api_keys, usage_hours_gaps'),
    ('petstore_operator', 'insert', 'id, requests_per_minute, requests_per_day, custom', 'plans'),
    ('petstore_operator', 'update', 'requests_per_minute, requests_per_day, custom', 'plans'),
    ('petstore_operator', 'insert',
      'name, plan_id, requests_per_minute, requests_per_day, expires_at, suspended_until, access, customer', 'api_keys'),
    ('petstore_operator', 'update',
      'name, plan_id, requests_per_minute, requests_per_day, expires_at, revoked_at, suspended_until, bans_lifted_at, access, usage_reset_at, customer',
      'api_keys'),
    ('petstore_operator', 'select', 'api_key_id, prefix, created_at, expires_at', 'api_key_secrets'),
    ('petstore_operator', 'update', 'expires_at', 'api_key_secrets'),
    ('petstore_operator', 'execute', null,
      'issue_api_key, issue_api_keys, issue_customer_api_key, issue_customer_api_keys, rename_api_key, set_api_key_customer, '
      'rotate_api_key, revoke_api_key, set_api_key_plan, set_api_key_limits, suspend_api_key, resume_api_key, unban_api_key, '
      'set_api_key_expiry, set_api_key_access, reset_api_key_usage, extend_api_key_overlap, create_plan, set_plan, delete_plan, rename_plan, api_key_overview_of, busiest_api_keys_since, find_api_keys, '
      'plan_change_preview'),
    ('petstore_support', 'execute', null, 'api_key_overview_of, busiest_api_keys_since, find_api_keys, plan_change_preview'),

    -- Every role may call what only computes. Triggers call the functions that check or count pets and orders.
    ('public', 'execute', null,
      'present, today, this_hour, clock_tolerance, trusted_until, counts_in_minute, counts_in_day, awaits_reset, last_counted_at, is_valid, '
      'is_suspended, is_banned, latest_lift, is_admitted, minute_limit, day_limit, count_max, saturated, is_instant, drawn_ids, next_ids_are_used, role_rights, rights_that_differ, '
      'missing_protections'),
    ('public', 'execute', null,
      'pet_json, order_json, category_json, new_pet, new_order, new_category, pet_inventory, etag_of, meets_preconditions, has_open_order, delete_pet_if, '
      'order_may_become, has_pets, category_conflict, put_category_if, delete_category_if'),
    ('public', 'execute', null,
      'enforce_order_transition, reserve_ordered_pets, release_ordered_pets, keep_ordered_pet_pending, keep_orders_of_pet, keep_orders_of_pets'),
    ('the owner', 'execute', null,
      'random_base62, api_key_checksum, add_api_key_secret, new_secret, reject_second_secret, audit_changes, count_pets, count_no_pets, explain_key_values, explain_plan_values, explain_limits, '
      'explain_plan_numbers, follow_plan, limit_changes, make_api_key_counters, reject_change, reject_deleting_used_plan, reject_later_revocation')
  ), rights as (
    select role, privilege || coalesce(' (' || "column" || ')', '') as privilege, object
    from listed
    cross join string_to_table(privileges, ', ') as privilege
    cross join unnest(coalesce(string_to_array(columns, ', '), array[null])) as "column"
    cross join string_to_table(objects, ', ') as object
  )
  select * from rights
  union all
  -- Support reads what operators read.
  select 'petstore_support', privilege, object from rights where role = 'petstore_operator' and privilege like 'select%'
  union all
  -- The service takes ids from the sequences before it inserts. Otherwise the table draws them.
  select case when privilege is null then 'the owner' else role end, 'usage', sequence_name
  from drawn_ids()
  left join rights on object = table_name and role = 'petstore_service' and privilege = 'insert'
$$;

comment on function role_rights is 'What each role may do with each table, view, sequence and function. prisma/roles.sql grants it.';

-- Operators may not read hashes. They can look up those of keys that they have.
create or replace function find_api_keys(hashes bytea[])
returns table (hash bytea, api_key_id bigint, name text, plan_id text, state text, prefix text, works boolean)
language sql stable security definer rows 10 set search_path = public, pg_temp as $$
  select s.hash, k.id, k.name, k.plan_id, k.state, s.prefix, is_valid(s) and k.state not in ('revoked', 'expired')
  from unnest(hashes) as wanted (hash)
  join api_key_secrets s on s.hash = wanted.hash
  join api_key_overview k on k.id = s.api_key_id
$$;

comment on function find_api_keys is
  'The keys with these SHA-256 hashes, and whether each still works, also if it is suspended or banned now: select * from find_api_keys(array[sha256(''psk_…'')]).';

revoke execute on function find_api_keys(bytea[]) from public;

create or replace function issue_customer_api_key(
  customer text,
  name text,
  plan text,
  per_minute integer default null,
  per_day integer default null,
  expires timestamptz default null,
  access api_key_access default 'write')
returns issued_api_key
language plpgsql volatile security definer set search_path = public, pg_temp as $$
begin
  perform reject_second_secret(quote_ident(name) || ' of ' || quote_ident(customer), 'issue_customer');
  return (
    select issued
    from issue_customer_api_keys(array[customer], array[name], plan, per_minute, per_day, expires, access) as issued);
end
$$;

comment on function issue_customer_api_key is
  'Issues a key of a customer, by the customer''s id elsewhere, and returns it, once: select * from issue_customer_api_key(''crm-7'', ''Acme web'', ''pro'').';

revoke execute on function issue_customer_api_key(text, text, text, integer, integer, timestamptz, api_key_access) from public;

-- With the owner's rights: operators cannot insert secrets themselves, so that all are equally strong. Ids that are used already are skipped.
create or replace function issue_customer_api_keys(
  customers text[],
  names text[],
  plan text,
  per_minute integer default null,
  per_day integer default null,
  expires timestamptz default null,
  access api_key_access default 'write')
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
      using errcode = 'invalid_parameter_value', hint = 'Pass a time in the future, or none for a key that does not expire.';
  end if;
  loop
    begin
      with made as (
        insert into api_keys (customer, name, plan_id, requests_per_minute, requests_per_day, expires_at, access)
        select customer, called, issue_customer_api_keys.plan, per_minute, per_day, expires, issue_customer_api_keys.access
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
  'Issues a key for each name and customer, who may be null, in their order, and returns them, once: select * from issue_customer_api_keys(array[''crm-7'', ''crm-8''], array[''Acme'', ''Globex''], plan => ''pro'').';

revoke execute on function issue_customer_api_keys(text[], text[], text, integer, integer, timestamptz, api_key_access) from public;

-- Reads the hours once, and not for each key.
create or replace function plan_change_preview(plan text, per_minute integer default null, per_day integer default null)
returns table (
  api_key_id bigint, name text, own_minute_limit boolean, own_day_limit boolean,
  hours_over bigint, highest_minute bigint, days_over bigint, highest_day bigint)
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
    group by u.api_key_id
  )
  select
    k.id, k.name, k.requests_per_minute is not null, k.requests_per_day is not null,
    coalesce(hours.hours_over, 0), hours.highest, coalesce(days.days_over, 0), days.highest
  from affected k
  left join hours on hours.api_key_id = k.id
  left join days on days.api_key_id = k.id
  where num_nonnulls(hours.hours_over, days.days_over) > 0
  order by hours.hours_over desc nulls last, days.days_over desc nulls last, k.id;
end
$$;

comment on function plan_change_preview is
  'Whom lower limits of a plan would have hurt in the last 35 days: its keys that used more in a minute or day, in how many hours or days, and the most. A key with a limit of its own is not affected by that of the plan. Requests during bans are not known: select * from plan_change_preview(''free'', per_minute => 30).';

revoke execute on function plan_change_preview(text, integer, integer) from public;

create or replace function rename_api_key(id bigint, name text) returns api_key_overview
language plpgsql volatile set search_path = public, pg_temp as $$
#variable_conflict use_column
begin
  update api_keys set name = rename_api_key.name where id = rename_api_key.id;
  return api_key_overview_of(rename_api_key.id);
end
$$;

comment on function rename_api_key is
  'Gives a key another name; what it has used stays with it: select * from rename_api_key(7, ''Acme mobile'').';

revoke execute on function rename_api_key(bigint, text) from public;

-- With the owner's rights, as delete_plan. The id of a plan never changes, so that its audit has one name: the keys move to a new plan, all of
-- them, however many a statement of an operator may change. A key that is issued meanwhile waits, and then finds no plan.
create or replace function rename_plan(id text, new_id text) returns plan_overview
language plpgsql volatile security definer set search_path = public, pg_temp as $$
#variable_conflict use_column
declare
  changes_max constant text := coalesce(current_setting('petstore.changes_max', true), '');
  old plans;
  result plan_overview;
begin
  select * into old from plans where id = rename_plan.id for update;
  if not found then
    raise exception 'plan "%" does not exist', rename_plan.id
      using errcode = 'no_data_found', hint = 'To see the plans: select * from plan_overview, or petstore plans list.';
  end if;
  perform create_plan(new_id, old.requests_per_minute, old.requests_per_day, old.custom);
  perform set_config('petstore.changes_max', '2147483647', true);
  update api_keys set plan_id = new_id where plan_id = old.id;
  perform set_config('petstore.changes_max', changes_max, true);
  delete from plans where id = old.id;
  select * into strict result from plan_overview where id = new_id;
  return result;
end
$$;

comment on function rename_plan is
  'Gives a plan another id, which all of its keys get: select * from rename_plan(''startup'', ''growth'').';

revoke execute on function rename_plan(text, text) from public;

create or replace function set_api_key_customer(id bigint, customer text) returns api_key_overview
language plpgsql volatile set search_path = public, pg_temp as $$
#variable_conflict use_column
begin
  update api_keys set customer = set_api_key_customer.customer where id = set_api_key_customer.id;
  return api_key_overview_of(set_api_key_customer.id);
end
$$;

comment on function set_api_key_customer is
  'Sets whose key it is, or null; what the key has used stays with it: select * from set_api_key_customer(7, ''crm-4711'').';

revoke execute on function set_api_key_customer(bigint, text) from public;

-- Joined from the keys, so that a query for some keys reads only their days.
create or replace view api_key_daily_usage as
select k.id as api_key_id, k.name, d.day, d.admitted, d.refused, k.customer
from api_keys k
left join api_key_counters c on c.api_key_id = k.id
cross join lateral (
  -- A day is in both tables only if the clock was set back. Then both count.
  select
    u.day,
    u.admitted + case when u.day = c.day then c.day_admitted else 0 end as admitted,
    u.refused + case when u.day = c.day then c.day_refused else 0 end as refused
  from api_key_usage u
  where u.api_key_id = k.id
  union all
  select c.day, c.day_admitted, c.day_refused
  where c.day > '-infinity'
    and not exists (select from api_key_usage u where u.api_key_id = k.id and u.day = c.day)
) as d;

comment on view api_key_daily_usage is 'Requests of each key by UTC day, including today. Days without requests are left out.';
comment on column api_key_daily_usage.day is 'The UTC day.';
comment on column api_key_daily_usage.admitted is 'Requests admitted in the day, also those before a reset.';
comment on column api_key_daily_usage.refused is 'Requests rejected in the day.';
comment on column api_key_daily_usage.customer is 'Whose key it is: the customer''s id in another system; null if none is known.';

-- By hour, then by key: one key is found in each hour by the primary key, which needs no index of its own.
create or replace view api_key_hourly_usage as
select
  u.hour, u.api_key_id, k.name, k.plan_id, u.operation, u.outcome, u.requests,
  round(u.total_ms::numeric / nullif(u.requests, 0), 1) as mean_ms,
  u.minute_peak,
  k.customer
from (select min(hour) as first from api_key_usage_hours) as stored
cross join generate_series(stored.first, trusted_until(), interval '1 hour') as of_hour
join api_key_usage_hours u on u.hour = of_hour
left join api_keys k on k.id = u.api_key_id;

comment on view api_key_hourly_usage is
  'Requests by hour, key, operation and outcome, except those of the last 10 s. Filter by key or hour: where api_key_id = 7 order by hour.';
comment on column api_key_hourly_usage.mean_ms is 'Mean milliseconds from the headers of a request to its response.';
comment on column api_key_hourly_usage.minute_peak is 'The most requests of the key that a minute of the hour had admitted after one of these; the peak of the hour is the greatest of its rows.';
comment on column api_key_hourly_usage.hour is 'When the hour began (UTC).';
comment on column api_key_hourly_usage.operation is 'The operationId of the interface; none where no route matched.';
comment on column api_key_hourly_usage.outcome is 'success, client_error, server_error, limited, banned, unauthorized or undecided.';
comment on column api_key_hourly_usage.requests is 'Requests with this outcome.';
comment on column api_key_hourly_usage.customer is 'Whose key it is: the customer''s id in another system; null if none is known.';

-- As admission sees a key: prisma/sql/functions has each rule, such as is_banned.
create or replace view api_key_overview as
select
  k.id,
  k.name,
  k.plan_id,
  case
    when k.revoked_at is not null then 'revoked'
    when not is_valid(k) or s.ends_at <= present() then 'expired'
    when s.prefix is null then 'unissued'
    when is_suspended(k) then 'suspended'
    when is_banned(k, c) then 'banned'
    else 'live'
  end as state,
  minute_limit(k, p) as requests_per_minute,
  day_limit(k, p) as requests_per_day,
  k.requests_per_minute is not null or k.requests_per_day is not null as own_limits,
  case when counts_in_minute(c) and not awaits_reset(k, c) then c.minute_admitted else 0 end as minute_admitted,
  case when counts_in_minute(c) then c.minute_refused else 0 end as minute_refused,
  case when counts_in_day(c) and not awaits_reset(k, c) then c.day_admitted else 0 end as day_admitted,
  case when counts_in_day(c) then c.day_refused else 0 end as day_refused,
  -- Without counters, the day of the last use is in the history.
  coalesce(
    last_counted_at(c),
    (select max(u.day)::timestamp at time zone 'UTC' from api_key_usage u where u.api_key_id = k.id)
  ) as last_used_at,
  case when is_banned(k, c) then c.banned_at end as banned_at,
  case when is_banned(k, c) then c.banned_until end as banned_until,
  case when is_suspended(k) then k.suspended_until end as suspended_until,
  least(k.expires_at, nullif(s.ends_at, 'infinity')) as expires_at,
  k.revoked_at,
  s.prefix,
  coalesce(s.working, 0) as secrets,
  k.created_at,
  k.access,
  k.customer
from api_keys k
join plans p on p.id = k.plan_id
left join api_key_counters c on c.api_key_id = k.id
left join lateral (
  select
    (array_agg(x.prefix order by x.created_at desc))[1] as prefix,
    max(coalesce(x.expires_at, 'infinity')) as ends_at,
    (count(*) filter (where is_valid(x)))::integer as working
  from api_key_secrets x
  where x.api_key_id = k.id
) as s on true;

comment on view api_key_overview is 'Every key with its plan, limits, state and use at this time.';
comment on column api_key_overview.state is
  'live, suspended (by an operator), banned (by the service), expired, revoked, or unissued: it has no secret yet, which rotate_api_key adds.';
comment on column api_key_overview.requests_per_minute is 'The limit in force: the key''s own, or its plan''s.';
comment on column api_key_overview.requests_per_day is 'The limit in force: the key''s own, or its plan''s.';
comment on column api_key_overview.own_limits is 'Whether the key has a limit of its own.';
comment on column api_key_overview.minute_admitted is 'Requests admitted in the current UTC minute, since the last reset.';
comment on column api_key_overview.minute_refused is 'Requests rejected in the current UTC minute. While a key is banned or suspended, nothing is counted.';
comment on column api_key_overview.day_admitted is 'Requests admitted in the current UTC day, since the last reset; api_key_daily_usage has all of them.';
comment on column api_key_overview.day_refused is 'Requests rejected in the current UTC day. While a key is banned or suspended, nothing is counted.';
comment on column api_key_overview.last_used_at is 'The minute of the last counted request, admitted or rejected.';
comment on column api_key_overview.banned_at is 'When the current ban began; null if there is none.';
comment on column api_key_overview.banned_until is 'When the current ban ends; null if there is none.';
comment on column api_key_overview.suspended_until is 'When the current suspension ends; null if there is none.';
comment on column api_key_overview.expires_at is 'When the key stops working: its own expires_at, or that of its last secret.';
comment on column api_key_overview.prefix is 'The first 12 characters of the newest secret.';
comment on column api_key_overview.secrets is 'The number of secrets that have not expired.';
comment on column api_key_overview.access is 'read: GET and HEAD alone; write: everything.';
comment on column api_key_overview.revoked_at is 'When the key was revoked; null if it was not.';
comment on column api_key_overview.customer is 'Whose key it is: the customer''s id in another system; null if none is known.';

-- Reads all of api_key_counters: an index on what admission updates would end its HOT updates.
create or replace view api_keys_near_limit as
select
  near.api_key_id, k.name, k.plan_id,
  round(near.minute_share::numeric, 3) as minute_share,
  round(near.day_share::numeric, 3) as day_share,
  near.minute_admitted, near.requests_per_minute, near.day_admitted, near.requests_per_day,
  peak.hour as busiest_hour, peak.admitted as busiest_hour_admitted,
  k.customer
from (
  select
    *,
    row_number() over (order by minute_share desc, api_key_id) as minute_rank,
    row_number() over (order by day_share desc, api_key_id) as day_rank
  from (
    select
      *,
      minute_admitted / requests_per_minute::float8 as minute_share,
      day_admitted / requests_per_day::float8 as day_share
    from (
      select
        c.api_key_id,
        case when counts_in_minute(c) then c.minute_admitted else 0 end as minute_admitted,
        c.day_admitted,
        minute_limit(k, p) as requests_per_minute,
        day_limit(k, p) as requests_per_day
      from api_key_counters c
      join api_keys k on k.id = c.api_key_id
      join plans p on p.id = k.plan_id
      where counts_in_day(c)
        and is_valid(k)
        and not awaits_reset(k, c)
    ) as used
  ) as share
) as near
join api_keys k on k.id = near.api_key_id
left join lateral (
  select u.hour, saturated(sum(u.requests)) as admitted
  from last_24_hours
  join api_key_usage_hours u using (hour)
  where u.api_key_id = near.api_key_id
    and is_admitted(u.outcome)
  group by u.hour
  order by admitted desc, u.hour desc
  limit 1
) as peak on true
where least(near.minute_rank, near.day_rank) <= 100
order by greatest(near.minute_share, near.day_share) desc, near.api_key_id;

comment on view api_keys_near_limit is
  'The hundred keys each that have used the largest share of the present minute and day, with their busiest of the last 24 hours. Filter with: where day_share > 0.8.';
comment on column api_keys_near_limit.minute_share is 'The share of the limit that the present minute has used: 1 is all of it.';
comment on column api_keys_near_limit.day_share is 'The share of the limit that the present day has used: 1 is all of it.';
comment on column api_keys_near_limit.minute_admitted is 'Requests admitted in the current UTC minute, since the last reset.';
comment on column api_keys_near_limit.requests_per_minute is 'The limit in force: the key''s own, or its plan''s.';
comment on column api_keys_near_limit.day_admitted is 'Requests admitted in the current UTC day, since the last reset.';
comment on column api_keys_near_limit.requests_per_day is 'The limit in force: the key''s own, or its plan''s.';
comment on column api_keys_near_limit.busiest_hour is 'The hour of the last 24 with the most admitted requests.';
comment on column api_keys_near_limit.busiest_hour_admitted is 'Requests admitted in that hour.';
comment on column api_keys_near_limit.customer is 'Whose key it is: the customer''s id in another system; null if none is known.';

create or replace view customer_overview as
select
  k.customer,
  count(*) as keys,
  count(*) filter (where k.state in ('live', 'suspended', 'banned')) as live_keys,
  count(*) filter (where k.state in ('live', 'suspended', 'banned') and k.day_admitted > 0.8 * k.requests_per_day) as near_limit_keys,
  saturated(sum(k.day_admitted)) as day_admitted,
  saturated(sum(k.day_refused)) as day_refused,
  max(k.last_used_at) as last_used_at
from api_key_overview k
where k.customer is not null
group by k.customer;

comment on view customer_overview is
  'Each customer with the use of all its keys: select * from customer_overview where customer = ''crm-7''.';
comment on column customer_overview.customer is 'The customer''s id in another system.';
comment on column customer_overview.keys is 'Keys of the customer, also revoked and expired ones.';
comment on column customer_overview.live_keys is 'Keys that have a secret and are neither revoked nor expired, including suspended and banned keys.';
comment on column customer_overview.near_limit_keys is 'Those that have used more than 80 % of their day.';
comment on column customer_overview.day_admitted is 'Requests admitted in the current UTC day, of each key since its last reset.';
comment on column customer_overview.day_refused is 'Requests rejected in the current UTC day.';
comment on column customer_overview.last_used_at is 'The last time a counted request of one of the keys came.';

create or replace view flooding_api_keys as
select
  k.id as api_key_id, k.name, k.plan_id, k.state, rejected.rejected, rejected.limited, rejected.banned, k.banned_until,
  k.requests_per_minute, k.requests_per_day
from (
  select
    u.api_key_id,
    saturated(sum(u.requests)) as rejected,
    coalesce(saturated(sum(u.requests) filter (where u.outcome = 'limited')), 0) as limited,
    coalesce(saturated(sum(u.requests) filter (where u.outcome = 'banned')), 0) as banned
  from api_key_usage_hours u
  where u.hour in (this_hour(), this_hour() - interval '1 hour')
    and u.outcome in ('limited', 'banned')
  group by u.api_key_id
  order by rejected desc, u.api_key_id
  limit 100
) as rejected
join api_key_overview k on k.id = rejected.api_key_id
order by rejected.rejected desc, k.id;

comment on view flooding_api_keys is
  'The hundred keys with the most rejected requests of this hour and the one before, also during bans and suspensions, except those of the last 10 s.';
comment on column flooding_api_keys.state is 'live, suspended, banned, expired, revoked or unissued.';
comment on column flooding_api_keys.rejected is 'Rejected requests of both hours.';
comment on column flooding_api_keys.limited is 'Rejected because a limit was used up (429).';
comment on column flooding_api_keys.banned is 'Rejected because of a ban (429) or a suspension (403).';
comment on column flooding_api_keys.banned_until is 'When the current ban ends; null if there is none.';
comment on column flooding_api_keys.requests_per_minute is 'The limit in force: the key''s own, or its plan''s.';
comment on column flooding_api_keys.requests_per_day is 'The limit in force: the key''s own, or its plan''s.';

create or replace view plan_peaks as
select p.id as plan_id, minute.highest as highest_minute, day.highest as highest_day
from plans p
left join (
  select k.plan_id, max(u.minute_peak) as highest
  from last_24_hours
  join api_key_usage_hours u using (hour)
  join api_keys k on k.id = u.api_key_id
  where k.requests_per_minute is null
  group by k.plan_id
) as minute on minute.plan_id = p.id
left join (
  select k.plan_id, max(c.day_admitted) as highest
  from api_key_counters c
  join api_keys k on k.id = c.api_key_id
  where counts_in_day(c)
    and not awaits_reset(k, c)
    and k.requests_per_day is null
  group by k.plan_id
) as day on day.plan_id = p.id;

comment on view plan_peaks is
  'The most that one of the keys that are on each plan now has used of late, also while it was on another. A key with a limit of its own does not count for that limit.';
comment on column plan_peaks.highest_minute is
  'The most requests that a minute of the last 24 hours has admitted of one key; null if there were none.';
comment on column plan_peaks.highest_day is
  'The most requests that the present UTC day has admitted of one key; null if there were none.';

create or replace trigger api_keys_explain_values
  before insert or update of name, plan_id, customer on api_keys
  for each row execute function explain_key_values();

create or replace function issue_api_keys(
  names text[],
  plan text,
  per_minute integer default null,
  per_day integer default null,
  expires timestamptz default null,
  access api_key_access default 'write')
returns setof issued_api_key
language sql volatile security definer rows 1000 set search_path = public, pg_temp as $$
  select *
  from issue_customer_api_keys(
    array_fill(null::text, array[coalesce(cardinality(names), 0)]), names, plan, per_minute, per_day, expires, access)
$$;

comment on function issue_api_keys is
  'Issues a key for each name, in their order, and returns them, once: select * from issue_api_keys(array[''Acme'', ''Globex''], plan => ''pro'').';

revoke execute on function issue_api_keys(text[], text, integer, integer, timestamptz, api_key_access) from public;
