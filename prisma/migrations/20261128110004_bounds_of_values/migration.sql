-- From prisma/sql by "npm run migration". Changes below this line are lost.

comment on table audit_log is 'Every change to keys, secrets and plans. Append-only.';
comment on column audit_log.changed_at is 'When the statement ended; its transaction committed later.';
comment on column audit_log.role is 'The role that logged in to the database.';
comment on column audit_log.actor is 'The person on whose behalf the role acted, set with set_config(''petstore.actor'', …). The command line sets the user of the operating system. Up to 255 characters.';
comment on column audit_log.application is 'The application_name of the connection.';
comment on column audit_log.old is 'The old values of the changed columns; all non-null values of a deleted row. Without hashes.';
comment on column audit_log.new is 'The new values of the changed columns; all non-null values of an inserted row. Without hashes.';
comment on column audit_log.action is 'insert, update or delete.';
comment on column audit_log.table_name is 'The table that was changed: api_keys, api_key_secrets or plans.';

-- One insert per statement, with the owner's rights. Old and new rows are joined by the column that never changes. An update that changes
-- no value is not recorded. The changed columns come from one expression per column, which takes a third of the time of comparing the rows
-- as jsonb. Every entry about a secret has its prefix, which identifies it.
create or replace function audit_changes() returns trigger
language plpgsql security definer set search_path = public, pg_temp set timezone = 'UTC' as $$
declare
  row_is constant text := case tg_table_name when 'api_key_secrets' then 'hash' else 'id' end;
  about constant text := case tg_table_name
    when 'plans' then 'null, changed.id'
    when 'api_keys' then 'changed.id, null'
    else 'changed.api_key_id, null' end;
  was text;
  is_now text;
  changes text;
begin
  if tg_op = 'INSERT' then
    was := 'null';
    is_now := $sql$jsonb_strip_nulls(to_jsonb(changed) - 'hash')$sql$;
    changes := 'new_rows as changed';
  elsif tg_op = 'DELETE' then
    was := $sql$jsonb_strip_nulls(to_jsonb(changed) - 'hash')$sql$;
    is_now := 'null';
    changes := 'old_rows as changed';
  else
    select
      string_agg(format(member, attname, 'before'), ' || ' order by attnum),
      string_agg(format(member, attname, 'changed'), ' || ' order by attnum)
      into was, is_now
      from
        pg_attribute,
        (values ('case when %1$L = ''prefix'' or before.%1$I is distinct from changed.%1$I then jsonb_build_object(%1$L, %2$I.%1$I) else ''{}'' end')) as t (member)
      where attrelid = tg_relid and attnum > 0 and not attisdropped and attname <> 'hash';
    changes := format(
      'new_rows as changed join old_rows as before using (%I) where before is distinct from changed', row_is);
  end if;
  execute format(
    'insert into audit_log (changed_at, role, actor, application, action, table_name, api_key_id, plan_id, old, new)
     select $1, $2, $3, $4, $5, $6, %s, %s, %s from %s', about, was, is_now, changes)
  using
    clock_timestamp(),
    session_user,
    left(nullif(current_setting('petstore.actor', true), ''), 255),
    nullif(current_setting('application_name'), ''),
    lower(tg_op),
    tg_table_name;
  return null;
end
$$;

comment on function audit_changes is 'Writes what a statement changed to audit_log.';

revoke execute on function audit_changes() from public;

-- 2^62 - 1: two of them add up to less than the largest bigint.
create or replace function count_max() returns bigint
language sql immutable parallel safe
return 4611686018427387903;

comment on function count_max is 'The largest count of requests or milliseconds in a row. Sums stop at it.';

create or replace function count_no_pets() returns trigger
language plpgsql security definer set search_path = public, pg_temp as $$
begin
  delete from pet_counts;
  return null;
end
$$;

comment on function count_no_pets is 'Empties pet_counts when pets are truncated.';

revoke execute on function count_no_pets() from public;

-- Triggers keep the counts exact in the transaction of each change, so that nothing has to count a table of millions.
--
-- With a single row, writers would wait for each other. So the counts are the sum of *slots*: each statement adds its difference to a slot
-- that no other transaction is writing. It finds one by trying advisory locks, without waiting. There are as many slots as there were
-- concurrent writers. Counts of a slot may be negative: a pet may be added in one slot and removed in another.
--
-- A row version that was updated away remains while any old snapshot might read it, for hours if a report runs that long. Therefore the
-- version is part of the primary key: the newest version of a slot is at the end of its index range, and neither reads nor writes pass
-- over the dead ones.
--
-- It has the owner's rights, because a role that writes pets could stop all writers by a row with the largest version.
create or replace function count_pets() returns trigger
language plpgsql security definer
-- While the table is small a plan that reads all of it looks cheap, and sessions keep their plans.
set enable_seqscan = off
set enable_bitmapscan = off
set search_path = public, pg_temp
as $$
declare
  available_more bigint;
  pending_more bigint;
  sold_more bigint;
  free_slot integer := 0;
begin
  if tg_op = 'INSERT' then
    select count(*) filter (where status = 'available'),
           count(*) filter (where status = 'pending'),
           count(*) filter (where status = 'sold')
    into available_more, pending_more, sold_more
    from new_pets;
  elsif tg_op = 'DELETE' then
    select -count(*) filter (where status = 'available'),
           -count(*) filter (where status = 'pending'),
           -count(*) filter (where status = 'sold')
    into available_more, pending_more, sold_more
    from old_pets;
  else
    select coalesce(sum(more) filter (where status = 'available'), 0),
           coalesce(sum(more) filter (where status = 'pending'), 0),
           coalesce(sum(more) filter (where status = 'sold'), 0)
    into available_more, pending_more, sold_more
    from (select status, 1 as more from new_pets union all select status, -1 from old_pets) as changed;
  end if;
  if available_more = 0 and pending_more = 0 and sold_more = 0 then
    return null;
  end if;

  while not pg_try_advisory_xact_lock(hashtext('pet_counts'), free_slot) loop
    free_slot := free_slot + 1;
  end loop;
  update pet_counts
  set version = version + 1,
      available = available + available_more,
      pending = pending + pending_more,
      sold = sold + sold_more
  where slot = free_slot
    and version = (select version from pet_counts where slot = free_slot order by version desc limit 1);
  if not found then
    -- A transaction that cannot see the slot, because its snapshot is older, fails here and can be tried again.
    insert into pet_counts values (free_slot, 0, 0, 0, 0) on conflict do nothing;
    insert into pet_counts values (free_slot, 1, available_more, pending_more, sold_more);
  end if;
  return null;
end
$$;

comment on function count_pets is 'Adds what a statement changed to pet_counts.';

revoke execute on function count_pets() from public;

-- With the owner's rights, like delete_old_usage.
create or replace function delete_old_usage_hours(keep_days integer, at_most integer) returns integer
language plpgsql volatile security definer set search_path = public, pg_temp as $$
declare
  deleted integer;
begin
  delete from api_key_usage_hours as u
  using (
    select hour, api_key_id, operation, outcome
    from api_key_usage_hours
    where hour < today()::timestamp at time zone 'UTC' - greatest(keep_days, 2) * interval '1 day'
    limit at_most
    for update skip locked
  ) as old
  where (u.hour, u.api_key_id, u.operation, u.outcome) = (old.hour, old.api_key_id, old.operation, old.outcome);
  get diagnostics deleted = row_count;
  return deleted;
end
$$;

comment on function delete_old_usage_hours is
  'Deletes some of the hours of usage whose day is older than the given number of days, but none of the last two. Returns how many.';

revoke execute on function delete_old_usage_hours(integer, integer) from public;

-- Others may have tables in the schema, too.
create or replace function drawn_ids() returns table (table_name name, sequence_name name)
language sql stable rows 10 set search_path = public, pg_temp as $$
  select t.relname, s.relname
  from pg_attribute a
  join pg_class t on t.oid = a.attrelid
  join pg_class s on s.oid = pg_get_serial_sequence(t.oid::regclass::text, a.attname)::regclass
  where t.relnamespace = 'public'::regnamespace
    and t.relowner = (select relowner from pg_class where oid = 'plans'::regclass)
    and a.attname = 'id'
    and a.attidentity <> ''
  order by t.relname
$$;

comment on function drawn_ids is 'The tables whose ids are drawn from a sequence.';

create or replace function is_instant(at timestamptz) returns boolean
language sql immutable parallel safe
return at between '0001-01-01 00:00:00Z' and '9999-12-31 23:59:59.999999Z';

comment on function is_instant is 'Whether a time has a year of four digits, as RFC 3339 wants it. Neither infinity is one.';

-- Only the objects of the owner: others may have tables and functions in the schema, too. The targets work in a grant under every
-- search_path, so types have their schema. With its default the planner would compile this for a second.
create or replace function rights_that_differ() returns table (difference text, role name, privilege text, target text)
language sql stable rows 10 set search_path = pg_catalog, pg_temp set jit = off as $$
  with listed as materialized (
    select * from public.role_rights()
  ), objects as (
    select oid, 'pg_class'::regclass as catalog, relname as name, relowner as owner, relacl as acl,
      format('%s public.%I', case relkind when 'S' then 'sequence' else 'table' end, relname) as target
    from pg_class
    where relnamespace = 'public'::regnamespace
      and relkind in ('r', 'p', 'v', 'm', 'f', 'S')
    union all
    select oid, 'pg_proc'::regclass, proname, proowner, coalesce(proacl, acldefault('f', proowner)), 'function ' || oid::regprocedure
    from pg_proc
    where pronamespace = 'public'::regnamespace
  ), own as materialized (
    select *
    from objects o
    where owner = (select relowner from pg_class where oid = 'public.plans'::regclass)
      and not exists (select from pg_depend d where d.classid = o.catalog and d.objid = o.oid and d.deptype = 'e')
  ), wanted as (
    select l.role, l.privilege, o.target
    from listed l
    join own o on o.name = l.object
    where l.role = 'public' or l.role in (select rolname from pg_roles)
  ), granted as (
    select a.grantee, a.is_grantable, lower(a.privilege_type) as privilege, o.target, o.owner
    from own o
    cross join aclexplode(o.acl) a
    union all
    select a.grantee, a.is_grantable, format('%s (%I)', lower(a.privilege_type), attname), o.target, o.owner
    from own o
    join pg_attribute on attrelid = o.oid and not attisdropped
    cross join aclexplode(attacl) a
    where o.catalog = 'pg_class'::regclass
  ), present as (
    select coalesce(rolname, 'public') as role, option || g.privilege as privilege, g.target
    from granted g
    cross join unnest(case when g.is_grantable then array['', 'grant option for '] else array[''] end) as option
    left join pg_roles on pg_roles.oid = g.grantee
    where g.grantee <> g.owner
  )
  select 'missing', * from (select * from wanted except select * from present) as missing
  union all
  select 'beyond', * from (
    select * from present
    where role in (select l.role from listed l)
      and target in (select o.target from own o where o.name in (select l.object from listed l))
    except
    select * from wanted) as beyond
  union all
  select 'undecided', null, null, o.target from own o where o.name not in (select l.object from listed l)
$$;

comment on function rights_that_differ is
  'Rights that role_rights() lists and a role lacks (missing), those that it has and the list does not (beyond), and what the list does not contain (undecided).';

-- The one list of rights: prisma/roles.sql grants them, and `petstore doctor` and the tests compare them with the catalog. Each table, view
-- and function is in it. Only the owner may do the rest.
create or replace function role_rights() returns table (role name, privilege text, object name)
language sql stable rows 300 set search_path = public, pg_temp as $$
  with listed (role, privileges, columns, objects) as (values
    ('petstore_service', 'select', null, '_prisma_migrations, plans, api_keys, api_key_secrets, pet_counts'),
    ('petstore_service', 'select, insert', null, 'api_key_bans'),
    ('petstore_service', 'select, insert, update', null, 'api_key_counters, api_key_usage, api_key_usage_hours'),
    ('petstore_service', 'select, insert, update, delete', null, 'idempotency_keys, pets, orders'),
    -- For the dashboard: of the audit only when something changed, and what kind of thing.
    ('petstore_service', 'select', 'changed_at, table_name, action, api_key_id, plan_id', 'audit_log'),
    ('petstore_service', 'select', null,
      'api_key_overview, api_key_daily_usage, api_key_hourly_usage, deprecated_operation_callers, expiring_api_keys, last_24_hours, recent_bans'),
    -- When a row has the id of a new one already, and for old rows of usage and bans.
    ('petstore_service', 'execute', null, 'skip_used_ids, delete_old_usage, delete_old_usage_hours, delete_old_bans'),

    -- Operators write only the columns that they decide. Ids and hashes are created by functions.
    ('petstore_operator', 'select', null, '_prisma_migrations, plans, api_keys, api_key_counters, api_key_usage, api_key_usage_hours, api_key_bans, audit_log'),
    ('petstore_operator', 'select', null,
      'api_key_overview, api_key_daily_usage, plan_overview, noisiest_api_keys, expiring_api_keys, api_key_hourly_usage, busiest_api_keys, '
      'api_keys_near_limit, deprecated_operation_callers, last_24_hours, recent_bans, unused_api_keys, usage_hours_gaps'),
    ('petstore_operator', 'insert', 'id, requests_per_minute, requests_per_day, custom', 'plans'),
    ('petstore_operator', 'update', 'requests_per_minute, requests_per_day, custom', 'plans'),
    ('petstore_operator', 'delete', null, 'plans'),
    ('petstore_operator', 'insert',
      'name, plan_id, requests_per_minute, requests_per_day, expires_at, suspended_until, access', 'api_keys'),
    ('petstore_operator', 'update',
      'name, plan_id, requests_per_minute, requests_per_day, expires_at, revoked_at, suspended_until, bans_lifted_at, access, usage_reset_at',
      'api_keys'),
    ('petstore_operator', 'select', 'api_key_id, prefix, created_at, expires_at', 'api_key_secrets'),
    ('petstore_operator', 'update', 'expires_at', 'api_key_secrets'),
    ('petstore_operator', 'execute', null,
      'issue_api_key, rotate_api_key, revoke_api_key, set_api_key_plan, set_api_key_limits, suspend_api_key, resume_api_key, unban_api_key, '
      'set_api_key_expiry, set_api_key_access, reset_api_key_usage, extend_api_key_overlap, create_plan, set_plan, api_key_overview_of'),
    ('petstore_support', 'execute', null, 'api_key_overview_of'),

    -- Every role may call what only computes. Triggers call the functions that check or count pets and orders.
    ('public', 'execute', null,
      'present, today, this_hour, clock_tolerance, trusted_until, counts_in_minute, counts_in_day, awaits_reset, last_counted_at, is_valid, '
      'is_suspended, is_banned, is_admitted, minute_limit, day_limit, count_max, saturated, is_instant, drawn_ids, next_ids_are_used, role_rights, rights_that_differ'),
    ('public', 'execute', null,
      'pet_json, order_json, new_pet, new_order, pet_inventory, etag_of, meets_preconditions, has_open_order, delete_pet_if, order_may_become'),
    ('public', 'execute', null,
      'enforce_order_transition, reserve_ordered_pets, release_ordered_pets, keep_ordered_pet_pending, keep_orders_of_pet, keep_orders_of_pets'),
    ('the owner', 'execute', null,
      'random_base62, api_key_checksum, add_api_key_secret, audit_changes, count_pets, count_no_pets, explain_key_values, explain_plan_values, explain_limits, '
      'explain_plan_numbers, follow_plan, make_api_key_counters, reject_change, reject_deleting_used_plan, reject_later_revocation')
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

create or replace function saturated(sum numeric) returns bigint
language sql immutable parallel safe
return case when sum > 9223372036854775807 then 9223372036854775807 else sum::bigint end;

comment on function saturated is 'A sum of counts, or the largest bigint if it is greater; null of none.';

-- It tries ids that are 64, 128, 256, … ahead: ten million rows in sequence take 18 look-ups, and a single row with the largest id none.
-- Concurrent calls wait for each other, and the later ones find nothing to do. The sequence never moves back: its short steps are those
-- of nextval, and during a long one other sessions do not take a thousand ids.
create or replace function skip_used_ids(of_table text) returns bigint
language plpgsql volatile security definer set search_path = public, pg_temp as $$
declare
  used_sequence regclass;
  last bigint;
  step bigint := 0;
begin
  if not exists (select from drawn_ids() where table_name = of_table) then
    raise exception 'unknown table "%"', of_table using
      errcode = 'invalid_parameter_value',
      hint = format('The tables are %s.', (select string_agg(table_name, ', ' order by table_name) from drawn_ids()));
  end if;
  perform pg_advisory_xact_lock(hashtext('skip_used_ids'), hashtext(of_table));
  used_sequence := pg_get_serial_sequence(quote_ident(of_table), 'id');
  last := nextval(used_sequence);
  while next_ids_are_used(of_table, last + step) loop
    step := greatest(64, 2 * step);
    if last > 9223372036854775807 - 128 - step then
      raise exception 'no free id of % after %', of_table, last using errcode = 'sequence_generator_limit_exceeded';
    end if;
  end loop;
  if step > 1024 then
    perform setval(used_sequence, last + step);
  else
    perform nextval(used_sequence) from generate_series(1, step);
  end if;
  return last + step;
end
$$;

comment on function skip_used_ids is
  'Moves the sequence of a table past ids that rows have already: select skip_used_ids(''pets''). Returns the last id that is skipped.';

revoke execute on function skip_used_ids(text) from public;

-- Also a ban by the clock of another primary, which may begin in the minute of the last trusted counters. Admission ignores later ones.
create or replace function unban_api_key(id bigint) returns api_key_overview
language plpgsql volatile set search_path = public, pg_temp as $$
#variable_conflict use_column
begin
  update api_keys
  set bans_lifted_at = greatest(
    bans_lifted_at,
    statement_timestamp(),
    (select banned_at from api_key_counters
     where api_key_id = unban_api_key.id and banned_at < trusted_until() + interval '1 minute'))
  where id = unban_api_key.id;
  return api_key_overview_of(unban_api_key.id);
end
$$;

comment on function unban_api_key is
  'Lifts the ban of a key and forgets its earlier bans; a suspension stays in force: select * from unban_api_key(7).';

revoke execute on function unban_api_key(bigint) from public;

-- Reads all of api_key_counters: an index on what admission updates would end its HOT updates.
create or replace view api_keys_near_limit as
select
  near.api_key_id, k.name, k.plan_id,
  round(near.minute_share::numeric, 3) as minute_share,
  round(near.day_share::numeric, 3) as day_share,
  near.minute_admitted, near.requests_per_minute, near.day_admitted, near.requests_per_day,
  peak.hour as busiest_hour, peak.admitted as busiest_hour_admitted
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

create or replace view busiest_api_keys as
select
  busiest.api_key_id, k.name, k.plan_id, busiest.requests,
  by_outcome.success, by_outcome.client_error, by_outcome.server_error,
  by_outcome.limited, by_outcome.banned, by_outcome.unauthorized,
  by_outcome.mean_ms, by_outcome.last_hour
from (
  select api_key_id, saturated(sum(requests)) as requests
  from api_key_usage_hours
  where hour > present() - interval '24 hours'
    and hour <= trusted_until()
  group by api_key_id
  order by requests desc, api_key_id
  limit 100
) as busiest
cross join lateral (
  select
    coalesce(saturated(sum(requests) filter (where outcome = 'success')), 0) as success,
    coalesce(saturated(sum(requests) filter (where outcome = 'client_error')), 0) as client_error,
    coalesce(saturated(sum(requests) filter (where outcome = 'server_error')), 0) as server_error,
    coalesce(saturated(sum(requests) filter (where outcome = 'limited')), 0) as limited,
    coalesce(saturated(sum(requests) filter (where outcome = 'banned')), 0) as banned,
    coalesce(saturated(sum(requests) filter (where outcome = 'unauthorized')), 0) as unauthorized,
    round(sum(total_ms) / nullif(sum(requests), 0), 1) as mean_ms,
    max(hour) as last_hour
  from last_24_hours
  join api_key_usage_hours u using (hour)
  where u.api_key_id = busiest.api_key_id
) as by_outcome
left join api_keys k on k.id = busiest.api_key_id
order by busiest.requests desc, busiest.api_key_id;

comment on view busiest_api_keys is 'The hundred keys with the most requests of the last 24 hours, rejected ones included.';
comment on column busiest_api_keys.requests is 'All requests of the last 24 hours.';
comment on column busiest_api_keys.success is 'Admitted, with a status below 400.';
comment on column busiest_api_keys.client_error is 'Admitted, with a 4xx status.';
comment on column busiest_api_keys.server_error is 'Admitted, with a 5xx status.';
comment on column busiest_api_keys.limited is 'Rejected because a limit was used up (429).';
comment on column busiest_api_keys.banned is 'Rejected because of a ban (429) or a suspension (403).';
comment on column busiest_api_keys.unauthorized is 'Rejected because the key is revoked or expired (401).';
comment on column busiest_api_keys.mean_ms is 'Mean milliseconds from the headers of a request to its response.';
comment on column busiest_api_keys.last_hour is 'The last hour with requests.';

-- Which keys called is read from the primary key alone.
create or replace view deprecated_operation_callers as
select called.operation, called.api_key_id, k.name, k.plan_id, called.last_hour, counted.requests_24h
from (
  select operation, api_key_id, max(hour) as last_hour
  from api_key_usage_hours
  where hour > present() - interval '7 days'
    and operation = any (array['getPet'])
  group by operation, api_key_id
  order by last_hour desc, api_key_id
  limit 100
) as called
cross join lateral (
  select coalesce(saturated(sum(u.requests)), 0) as requests_24h
  from last_24_hours
  join api_key_usage_hours u using (hour)
  where u.api_key_id = called.api_key_id
    and u.operation = called.operation
) as counted
left join api_keys k on k.id = called.api_key_id
order by called.last_hour desc, called.api_key_id;

comment on view deprecated_operation_callers is 'The hundred keys that were the last to call a deprecated operation in the last 7 days, with their requests of the last 24 hours.';
comment on column deprecated_operation_callers.operation is 'The operationId of the deprecated operation.';
comment on column deprecated_operation_callers.last_hour is 'The last hour in which the key called it.';
comment on column deprecated_operation_callers.requests_24h is 'Its requests of the last 24 hours.';

-- By day, because what admission counts it does not count by hour.
create or replace view usage_hours_gaps as
with counted as materialized (
  select day, sum(day_admitted) as admitted, sum(day_refused) as refused
  from api_key_counters
  where day > '-infinity'
  group by day
)
select
  of_day.day,
  exact.admitted,
  exact.admitted - hours.admitted as admitted_missing,
  exact.refused,
  exact.refused - hours.refused as refused_missing
from (
  select (min(hour) at time zone 'UTC')::date as first, today() as last
  from api_key_usage_hours
) as stored
cross join lateral (select stored.first + n as day from generate_series(0, stored.last - stored.first) as n) as of_day
cross join lateral (
  select coalesce(saturated(sum(admitted)), 0) as admitted, coalesce(saturated(sum(refused)), 0) as refused
  from (
    select admitted, refused from api_key_usage u where u.day = of_day.day
    union all
    select admitted, refused from counted where counted.day = of_day.day
  ) as counts
) as exact
cross join lateral (
  select
    coalesce(saturated(sum(requests) filter (where is_admitted(outcome))), 0) as admitted,
    coalesce(saturated(sum(requests) filter (where outcome = 'limited')), 0) as refused
  from api_key_usage_hours u
  where u.hour >= of_day.day::timestamp at time zone 'UTC'
    and u.hour < (of_day.day + 1)::timestamp at time zone 'UTC'
) as hours
order by of_day.day;

comment on view usage_hours_gaps is
  'How many of the admitted and rejected (refused) requests of a day the hours lack: those of the last 10 s, of a replica that was killed, and of replicas of 1.0.0-rc.1. Filter with: where day = today().';
comment on column usage_hours_gaps.day is 'The UTC day.';
comment on column usage_hours_gaps.admitted is 'Requests that admission admitted in the day.';
comment on column usage_hours_gaps.admitted_missing is 'How many of them the hours lack.';
comment on column usage_hours_gaps.refused is 'Requests that admission rejected in the day.';
comment on column usage_hours_gaps.refused_missing is 'How many of them the hours lack.';

create or replace trigger api_key_usage_hours_only_grow
  before update on api_key_usage_hours
  for each row when (
    (old.hour, old.api_key_id, old.operation, old.outcome) is distinct from (new.hour, new.api_key_id, new.operation, new.outcome)
    or new.requests < least(old.requests, count_max()) or new.total_ms < least(old.total_ms, count_max()))
  execute function reject_change(
    'counts of usage can only grow', 'The owner can disable this trigger to correct them.');

-- Replicas of 1.0.0 update these rows themselves, so the service's role may do so.
create or replace trigger api_key_usage_only_grows
  before update on api_key_usage
  for each row when (
    (old.api_key_id, old.day) is distinct from (new.api_key_id, new.day) or new.admitted < least(old.admitted, count_max()) or new.refused < least(old.refused, count_max()))
  execute function reject_change(
    'counts of usage can only grow', 'The owner can disable this trigger to correct them.');
