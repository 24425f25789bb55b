-- It returns more columns.
drop function rights_that_differ();

-- From prisma/sql by "npm run migration". Changes below this line are lost.

comment on table address_usage_hours is
  'Requests rejected by client address, not by key, by hour (UTC). Written every 10 s, so the latest may be missing.';
comment on column address_usage_hours.hour is 'When the hour began (UTC).';
comment on column address_usage_hours.outcome is 'unauthorized (401: no key, or one that does not exist) or limited (429 of the address, also for public documents).';
comment on column address_usage_hours.requests is 'Requests with this outcome, of all addresses.';

comment on type api_key_access is 'What a key may do: read (GET and HEAD only) or write (everything).';

comment on table api_key_bans is 'The bans of each key, with its limits at that time. A lifted ban ended before ends_at: see recent_bans.';
comment on column api_key_bans.began_at is 'When a rejection started the ban.';
comment on column api_key_bans.ends_at is 'When the ban ends unless an operator lifts it.';
comment on column api_key_bans.minute_limit is 'The limit per minute that was in force.';
comment on column api_key_bans.day_limit is 'The limit per day that was in force.';
comment on column api_key_bans.month_limit is 'The limit per month that was in force; null if there was none.';

comment on table api_key_counters is 'The counters of each key: its current minute and day (UTC) and its last ban. Only the service writes them.';
comment on column api_key_counters.usage_reset_at is 'The last reset that was applied to the key.';
comment on column api_key_counters.minute is 'The UTC minute being counted; -infinity before the first request.';
comment on column api_key_counters.minute_admitted is 'Requests admitted in the minute, since the last reset.';
comment on column api_key_counters.minute_refused is 'Requests rejected in the minute.';
comment on column api_key_counters.day is 'The UTC day of the minute.';
comment on column api_key_counters.day_admitted is 'Requests admitted in the day, since the last reset.';
comment on column api_key_counters.day_refused is 'Requests rejected in the day.';
comment on column api_key_counters.banned_at is 'When the last ban began.';
comment on column api_key_counters.banned_until is 'When the last ban ends unless an operator lifts it.';
comment on column api_key_counters.generation is 'Grows once every few hundred updates, so that an index leads to the newest row version.';
comment on column api_key_counters.month is 'The first day of the UTC month of month_before; null if the key has no monthly limit.';
comment on column api_key_counters.month_before is 'Requests of that month in api_key_usage.';

comment on table api_key_secrets is 'The secrets of a key: one, or more during a rotation. Only the SHA-256 is stored.';
comment on column api_key_secrets.prefix is 'The first 12 characters of the secret, to identify it.';
comment on column api_key_secrets.hash is 'The SHA-256 of the secret. Operators cannot read it.';
comment on column api_key_secrets.expires_at is 'When the secret stops working; null means never.';

comment on table api_key_usage is 'The completed days (UTC) of each key. The current day is in api_key_counters.';
comment on column api_key_usage.day is 'A UTC day that has ended, or today up to the last reset.';
comment on column api_key_usage.admitted is 'Requests admitted in the day.';
comment on column api_key_usage.refused is 'Requests rejected in the day.';

comment on table api_key_usage_hours is
  'The requests of each key by hour (UTC), operation and outcome. Written every 10 s, so the latest may be missing; api_key_daily_usage has exact daily totals.';
comment on column api_key_usage_hours.operation is 'The operationId of the interface; none where no route matched.';
comment on column api_key_usage_hours.outcome is
  'Admitted: success (below 400), client_error (4xx), server_error (5xx). Not admitted: limited (429), banned (429), suspended (403; before 2.0 banned), unauthorized (revoked or expired), undecided (503: no database, or overload).';
comment on column api_key_usage_hours.total_ms is 'Total milliseconds from request headers to response.';
comment on column api_key_usage_hours.hour is 'When the hour began (UTC).';
comment on column api_key_usage_hours.requests is 'Requests with this outcome.';
comment on column api_key_usage_hours.minute_peak is
  'For admitted requests: the highest minute count of the key, over all outcomes, after one of them. The peak of the hour is the maximum of its rows; null before 1.1.0.';

comment on table api_keys is 'The keys of customers. Keys are revoked, never deleted. A change applies to the next request on every replica.';
comment on column api_keys.customer is 'The customer''s id in another system, 1 to 100 characters; null if unknown. When it changes, usage stays with the key.';
comment on column api_keys.plan_custom is 'A copy of plans.custom, kept equal by the foreign key.';
comment on column api_keys.requests_per_minute is 'The key''s own limit, instead of the plan''s; required on a custom plan.';
comment on column api_keys.requests_per_day is 'The key''s own limit, instead of the plan''s; required on a custom plan.';
comment on column api_keys.suspended_until is 'Until this time all requests of the key are rejected with 403 api_key_suspended.';
comment on column api_keys.bans_lifted_at is 'Bans that began up to this time are lifted and do not lengthen the next ban.';
comment on column api_keys.access is 'read: GET and HEAD alone; write: everything.';
comment on column api_keys.usage_reset_at is 'The last reset of the minute and day counts: select * from reset_api_key_usage(7).';
comment on column api_keys.expires_at is 'When the key stops working; null means never.';
comment on column api_keys.revoked_at is 'When the key was revoked; null if it was not. Any value revokes at once.';
comment on column api_keys.requests_per_month is 'The key''s own limit per UTC month; null: that of its plan, if it has one.';

comment on table audit_log is 'Every change to keys, secrets and plans. Append-only.';
comment on column audit_log.changed_at is 'When the statement ended; its transaction committed later.';
comment on column audit_log.role is 'The role that logged in to the database.';
comment on column audit_log.actor is 'The person on whose behalf the role acts, set with set_config(''petstore.actor'', …). The CLI sets it to the operating-system user. Up to 255 characters.';
comment on column audit_log.application is 'The application_name of the connection.';
comment on column audit_log.old is 'The old values of the changed columns; all non-null values of a deleted row. Without hashes.';
comment on column audit_log.new is 'The new values of the changed columns; all non-null values of an inserted row. Without hashes.';
comment on column audit_log.action is 'insert, update or delete.';
comment on column audit_log.table_name is 'The table that was changed: api_keys, api_key_secrets or plans.';

comment on table categories is 'The names of categories. A pet may also refer to an unnamed number.';
comment on column categories.name is 'Unique, ignoring the case of ASCII letters.';

comment on table database_outages is
  'When a replica had no database, or one that rejected all statements, for a second or longer. Written on recovery; missing if the replica was stopped or killed before.';
comment on column database_outages.replica is 'The host name of the replica.';
comment on column database_outages.began_at is 'When the replica lost it, by the clock of the database.';
comment on column database_outages.ended_at is 'When it returned.';
comment on column database_outages.undecided_of_no_key is
  'Undecided requests of this replica with an unknown secret, since the previous outage. Those of keys are in api_key_usage_hours.';

comment on table idempotency_keys is 'The first responses by API key and Idempotency-Key, for 24 hours. Only the service writes them.';
comment on column idempotency_keys.fingerprint is 'SHA-256 of method, path and body, which a retry must match.';
comment on column idempotency_keys.resource_id is 'The id of the created pet or order, for the Location of a retry.';
comment on column idempotency_keys.answer is 'The body of the first response, byte for byte.';
comment on column idempotency_keys.key is 'The Idempotency-Key of the request.';
comment on column idempotency_keys.expires_at is 'From then on the key counts as new.';

comment on table operations is 'The operations of the API, for the hourly usage. Migrations fill it.';
comment on column operations.operation is 'The operationId; none where no route matched.';

comment on table pet_counts is
  'Partial counts of pets by status; select * from pet_inventory() adds them up. Only triggers of pets write them.';
comment on column pet_counts.version is
  'Only the highest version of a slot counts. Version 0 never changes: it keeps a slot from being created twice.';
comment on column pet_counts.slot is 'Concurrent writers add to different slots.';
comment on column pet_counts.available is 'The part of this slot; it may be negative.';
comment on column pet_counts.pending is 'The part of this slot; it may be negative.';
comment on column pet_counts.sold is 'The part of this slot; it may be negative.';

comment on table pets is 'The pets of the store.';
comment on column pets.category_id is 'Any int64. The table categories names some.';
comment on column pets.status is 'Null if the pet has no status.';

comment on table plans is 'The request limits of each plan. A change applies to the next request on every replica.';
comment on column plans.custom is 'True if the plan has no limits and each of its keys has its own.';
comment on column plans.requests_per_minute is 'Requests that each key may make in a UTC minute; null on a custom plan.';
comment on column plans.requests_per_day is 'Requests that each key may make in a UTC day; null on a custom plan.';
comment on column plans.requests_per_month is 'Requests that each key may make in a UTC month; null: no such limit.';

comment on table wanted_rights is 'Rights that the owner allows other roles, such as reporting: the doctor does not warn about them. "petstore db roles" grants those on objects.';
comment on column wanted_rights.role is 'The role, or public.';
comment on column wanted_rights.privilege is 'As rights_that_differ() prints it: select, select (name), execute, usage, …; member, of the role that object names; or owner.';
comment on column wanted_rights.object is 'As rights_that_differ() prints it: the name of the table, view, sequence, function or role; schema public; database.';

comment on function add_api_key_secret is
  'Adds a secret to a key and returns the plain key, which is stored nowhere. At most one per key and statement.';

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

-- One insert per statement, with the owner's rights. Old and new rows are joined by the immutable column. An update that changes
-- no value is not recorded. One expression per column finds the changed columns, in a third of the time of comparing the rows
-- as jsonb. Entries about a secret always contain its prefix.
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
    lower(tg_op collate "C"),
    tg_table_name;
  return null;
end
$$;

comment on function audit_changes is 'Logs a statement''s changes in audit_log.';

revoke execute on function audit_changes() from public;

comment on function awaits_reset is 'Whether the next request of a key resets its admitted counts, because an operator requested a reset.';

comment on function category_conflict is
  'Why a category name is unavailable: category_exists (taken, ignoring ASCII case), locked (an open transaction is assigning it); null if it is free.';

comment on function clock_tolerance is
  'How far ahead the counters of a key may be. Beyond it, another clock wrote them, such as that of a former primary, and they start over.';

comment on function count_max is 'The largest count of requests or milliseconds in a row. It caps sums.';

comment on function count_no_pets is 'Resets pet_counts when pets are truncated.';

comment on function count_pets is 'Adds a statement''s changes to pet_counts.';

comment on function counts_in_day is 'Whether the day counts are current, that is, the day has not ended. Null without counters.';

comment on function counts_in_minute is 'Whether the minute counts are current, that is, the minute has not ended. Null without counters.';

comment on function delete_category_if is
  'Deletes a category. Returns deleted, or the reason: category_not_found, precondition_failed, category_in_use (a pet refers to it), locked.';

comment on function delete_old_address_usage is
  'Deletes a batch of hours of address_usage_hours older than the given number of days, but never the last two days. Returns how many.';

comment on function delete_old_bans is
  'Deletes a batch of bans that ended more than the given number of days ago (at least 31). Returns how many.';

comment on function delete_old_database_outages is
  'Deletes a batch of outages that ended more than the given number of days ago (at least 31). Returns how many.';

comment on function delete_old_usage is
  'Deletes a batch of finished days of usage older than the given number of days, but never the last 31. Returns how many.';

-- In plpgsql each statement has its own snapshot: an order committed before its pet was locked is visible. It never waits for a row
-- itself: the result is 'locked' if another transaction has locked one of them. The triggers of pets run once for all of them.
create or replace function delete_pets_if(ids bigint[], if_match text[], if_none_match text[]) returns setof text
language plpgsql
-- Else it is planned for each number of pets. While a table is small, a sequential scan looks cheap, and sessions cache their plans.
set plan_cache_mode = force_generic_plan
set enable_seqscan = off
set search_path = public, pg_temp
as $$
declare
  held bigint[];
  rejections text[];
  accepted bigint[];
  held_orders bigint[];
  kept bigint[] := '{}';
begin
  held := array(select id from pets where id = any(ids) order by id for update skip locked);
  rejections := array(
    select
      case
        when pet.id is null then 'pet_not_found'
        when num_nonnulls(item.if_match, item.if_none_match) > 0
          and not meets_preconditions(pet_json(pet), item.if_match, item.if_none_match)
          then 'precondition_failed'
        when exists (select from orders where pet_id = pet.id and status in ('placed', 'approved'))
          then 'pet_has_open_order'
        when exists (select from orders where pet_id = pet.id and status = 'delivered') then 'pet_is_sold'
        when pet.id <> all(held) then 'locked'
      end
    from unnest(ids, if_match, if_none_match) with ordinality as item (id, if_match, if_none_match, number)
    left join pets as pet on pet.id = item.id
    order by number);
  accepted := array(select id from unnest(ids, rejections) as decided (id, rejection) where rejection is null);
  if exists (select from orders where pet_id = any(accepted)) then
    held_orders := array(
      select id from orders where pet_id = any(accepted) order by id for update skip locked);
    kept := array(select pet_id from orders where pet_id = any(accepted) and id <> all(held_orders));
    delete from orders where id = any(held_orders) and pet_id <> all(kept);
  end if;
  delete from pets where id = any(accepted) and id <> all(kept);
  return query
    select coalesce(rejection, case when id = any(kept) then 'locked' else 'deleted' end)
    from unnest(ids, rejections) with ordinality as decided (id, rejection, number)
    order by number;
end
$$;

comment on function delete_pets_if is
  'Deletes pets with their cancelled orders, each at most once. Returns a row for each, in input order: deleted, or the reason: pet_not_found, precondition_failed, pet_has_open_order, pet_is_sold (it has a delivered order), locked.';

comment on function delete_usage_hour is
  'Deletes a batch of an hour''s usage older than the given number of days, but never of the last two days. Returns how many.';

comment on function drawn_ids is 'The tables whose ids come from a sequence.';

-- Callers may choose ids, so a single row far ahead must not extend the run. A run of used ids continues while at least one in 64
-- is used: in the next 64, the 64 after them, then 128, 256 and so on, of which at most one in 64 is read.
create or replace function end_of_used_ids(of_table text, after bigint) returns bigint
language plpgsql volatile
set enable_seqscan = off
set enable_bitmapscan = off
set search_path = public, pg_temp
as $$
declare
  -- Pets also use category ids. One query per index.
  sources constant text[] := case of_table
    when 'categories' then array[
      'select id from categories',
      'select category_id from pets where status is not null',
      'select category_id from pets where status is null']
    else array[format('select id from %I', of_table)]
  end;
  run bigint := 0;
  longer bigint := 64;
  goes_on boolean;
  used_end bigint;
begin
  while after <= 9223372036854775807 - longer loop
    for source in 1..cardinality(sources) loop
      execute format(
        case source
          when 1 then 'select count(*) = $3 from (select from (%s) as used (id) where id > $1 and id <= $2 limit $3) as found'
          -- Many pets may share a number: skip to the next one.
          else
            'with recursive used (id) as (
               select min(id) from (%1$s) as first (id) where id > $1 and id <= $2
               union all
               select (select min(id) from (%1$s) as next (id) where id > used.id and id <= $2) from used where id is not null)
             select count(id) = $3 from (select id from used limit $3) as found'
        end,
        sources[source])
        into goes_on using after + run, after + longer, (longer - run) / 64;
      exit when goes_on;
    end loop;
    exit when not goes_on;
    run := longer;
    longer := 2 * longer;
  end loop;
  execute (
    select format('select greatest(%s)', string_agg(format('(select max(id) from (%s) as used (id) where id > $1 and id <= $2)', source), ', '))
    from unnest(sources) as source)
    into used_end using after, after + run;
  return used_end;
end
$$;

comment on function end_of_used_ids is
  'The end of the run of used ids after the given one, in which at least one in 64 ids is used; null if the next 64 are free.';

revoke execute on function end_of_used_ids(text, bigint) from public;

comment on function enforce_order_transition is
  'Rejects order transitions outside the state machine, and sets updated_at.';

comment on function explain_key_values is
  'Rejects a name, customer or plan before a constraint does, with a message and a hint.';

create or replace function explain_limits() returns trigger
language plpgsql as $$
declare
  wrong text := (
    select 'requests_per_' || name
    from public.windows_of(null, null, null)
    where (to_jsonb(new) ->> ('requests_per_' || name))::bigint < 1
    order by nth
    limit 1);
begin
  raise exception '% is % and must be at least 1', wrong, to_jsonb(new) ->> wrong
    using errcode = 'check_violation', table = tg_table_name, column = wrong, hint = tg_argv[0];
end
$$;

comment on function explain_limits is 'Rejects limits below 1. The argument of the trigger is the hint.';

revoke execute on function explain_limits() from public;

create or replace function explain_plan_numbers() returns trigger
language plpgsql as $$
declare
  missing bigint := (select count(*) from public.windows_of(null, new, null) where is_required and allowed is null);
begin
  if new.custom and exists (select from public.windows_of(null, new, null) where allowed is not null) then
    raise exception 'plan "%" is custom and cannot have limits of its own', new.id
      using errcode = 'check_violation',
            hint = 'Set them on its keys: select * from set_api_key_limits(id, per_minute, per_day), '
                   'or petstore keys set-limits. Or set custom = false (--no-custom).';
  end if;
  if not new.custom and missing > 0 then
    raise exception 'plan "%" needs both requests_per_minute and requests_per_day', new.id
      using errcode = 'check_violation',
            hint = 'Or set custom = true (--custom), without limits: then each of its keys must have its own.';
  end if;
  perform public.warn_of_limits(format('the keys of plan "%s"', new.id), null, new);
  return new;
end
$$;

comment on function explain_plan_numbers is 'Rejects a custom plan with limits, and any other plan without them.';

revoke execute on function explain_plan_numbers() from public;

comment on function explain_plan_values is
  'Rejects a plan id before a constraint does, with a message and a hint.';

create or replace function follow_plan() returns trigger
language plpgsql as $$
declare
  chosen public.plans;
begin
  select * into chosen from public.plans where plans.id = new.plan_id;
  if not found then
    raise exception 'plan "%" does not exist', new.plan_id
      using errcode = 'foreign_key_violation',
            hint = 'The plans are: ' || (select string_agg(plans.id, ', ' order by plans.id) from public.plans) || '.';
  end if;
  if chosen.custom and exists (select from public.windows_of(new, chosen, null) where is_required and allowed is null) then
    raise exception 'plan "%" is custom, so its keys need both limits, but "%" does not have them', chosen.id, new.name
      using errcode = 'check_violation',
            hint = 'Set requests_per_minute and requests_per_day '
                   '(per_minute and per_day of a function, --per-minute and --per-day of a command).';
  end if;
  perform public.warn_of_limits(format('key "%s"', new.name), new, chosen);
  new.plan_custom := chosen.custom;
  return new;
end
$$;

comment on function follow_plan is
  'Always copies plan_custom from the plan, so that statements that change the plan can omit it.';

revoke execute on function follow_plan() from public;

comment on function is_admitted is 'Whether requests with an outcome were admitted, so they count towards limits.';

comment on function is_banned is 'Whether the last ban of a key is in force: not ended, lifted or set by another clock.';

comment on function is_instant is 'Whether a time has a four-digit year, as RFC 3339 requires. Infinities do not.';

comment on function is_suspended is 'Whether a key is suspended by an operator at present.';

comment on function latest_lift is 'bans_lifted_at beyond this time, three minutes ahead, is invalid: it would disable bans.';

-- An update that lacks its where clause is an operator's worst mistake, and a function called for every row is no better, so the
-- changes of a transaction are counted. A setting holds the count: it ends with the transaction, and a rollback to a savepoint restores it.
-- A session may set it: the guard stops mistakes, not malice. The owner, who restores, is exempt. Keys that functions with the owner's
-- rights issue are not counted. Updates count under any role, because a foreign key also makes them with the owner's rights.
create or replace function limit_changes() returns trigger
language plpgsql set search_path = public, pg_temp as $$
declare
  changes_max constant integer := coalesce(nullif(current_setting('petstore.changes_max', true), '')::integer, 100);
  owner constant oid := (select relowner from pg_class where oid = 'plans'::regclass);
  changes bigint := coalesce(nullif(current_setting('petstore.changes_made', true), '')::bigint, 0);
  revived bigint := coalesce(nullif(current_setting('petstore.keys_revived', true), '')::bigint, 0);
begin
  if to_regrole('petstore_operator') is null
    or not pg_has_role(session_user, 'petstore_operator', 'member')
    or pg_has_role(session_user, owner, 'member')
    or (tg_op = 'INSERT' and pg_has_role(current_user, owner, 'member'))
  then
    return null;
  end if;
  if tg_table_name = 'api_keys' and tg_op = 'UPDATE' then
    -- When plans.custom changes, the foreign key updates only plan_custom of its keys.
    select changes + count(distinct id) filter (where
          o.plan_custom = n.plan_custom or to_jsonb(o) - 'plan_custom' is distinct from to_jsonb(n) - 'plan_custom'),
        revived + count(distinct id) filter (where o.revoked_at is not null and n.revoked_at is null)
      into changes, revived
      from old_rows o join new_rows n using (id);
  else
    changes := changes + (select count(*) from new_rows);
  end if;
  if changes > changes_max then
    raise exception 'the transaction changes % keys, secrets or plans, more than petstore.changes_max (%)', changes, changes_max
      using errcode = 'restrict_violation',
            hint = 'Check the where clauses of its statements. If the changes are intended, allow them and retry: set petstore.changes_max = …;';
  end if;
  if revived > 1 then
    raise exception 'the transaction revives several revoked keys, and each needs a transaction of its own'
      using errcode = 'restrict_violation', column = 'revoked_at', hint = 'Add to its where clause: id = ….';
  end if;
  perform set_config('petstore.changes_made', changes::text, true), set_config('petstore.keys_revived', revived::text, true);
  return null;
end
$$;

comment on function limit_changes is
  'Rejects a transaction of an operator that changes more than petstore.changes_max (100) keys, secrets or plans, or revives several revoked keys.';

revoke execute on function limit_changes() from public;

-- prisma/roles.sql and deploy/postgres/roles.sh set these. The list of functions repeats that of prisma/roles.sql, which also runs before
-- they exist.
create or replace function missing_protections() returns table (finding text)
language sql stable rows 5 set search_path = pg_catalog, pg_temp as $$
  with logins as materialized (
    select r.oid, rolname, rolconnlimit, serves, coalesce(setconfig, '{}') as present
    from pg_roles r
    cross join lateral (
      select pg_has_role(r.oid, to_regrole('petstore_service'), 'member') as serves,
        pg_has_role(r.oid, to_regrole('petstore_operator'), 'member') or pg_has_role(r.oid, to_regrole('petstore_support'), 'member') as manages
    ) as membership
    left join pg_db_role_setting on setrole = r.oid and setdatabase = (select oid from pg_database where datname = current_database())
    where rolcanlogin and not rolsuper and (serves or manages)
      and r.oid <> (select relowner from pg_class where oid = 'public.plans'::regclass)
  )
  select format('every role may call functions that use up memory, disk or transaction ids of the whole server, such as %s', min(oid::regprocedure::text))
  from pg_proc
  where pronamespace = 'pg_catalog'::regnamespace
    and (proname ~ '^pg_(try_)?advisory_' or proname in (
      'pg_logical_emit_message', 'lo_create', 'lo_creat', 'lo_from_bytea', 'pg_export_snapshot', 'pg_current_xact_id', 'txid_current'))
    and has_function_privilege('public', oid, 'execute')
  having count(*) > 0
  union all
  select format('%s may connect to other databases of the server (%s), where these protections do not apply',
    string_agg(distinct quote_ident(rolname), ', '), string_agg(distinct quote_ident(datname), ', '))
  from logins
  join pg_database d on datname <> current_database() and datallowconn and has_database_privilege(logins.oid, d.oid, 'connect')
  where not serves
  having count(*) > 0
  union all
  select format('no connection limit is set for %s', string_agg(quote_ident(rolname), ', ' order by rolname))
  from logins
  where rolconnlimit = -1
  having count(*) > 0
  union all
  select format('no %s is set in this database for %s', setting, string_agg(quote_ident(rolname), ', ' order by rolname))
  from logins
  cross join unnest(array['statement_timeout', 'idle_in_transaction_session_timeout', 'temp_file_limit']) as setting
  where not exists (select from unnest(present) as p where p like setting || '=%' and p !~ '=(0|-1)$')
  group by setting
$$;

comment on function missing_protections is
  'Missing protections against roles that use up the server''s connections, memory, disk or transaction ids: one sentence each.';

-- Volatile, for a fresh snapshot: admission calls it after locking the counters (or only reading them, for a barred
-- key), and its statement's snapshot would miss a day that another replica has finished since.
create or replace function month_admitted_before(key bigint, day date) returns bigint
language plpgsql volatile set search_path = public, pg_temp as $$
begin
  return (
    select least(coalesce(sum(u.admitted), 0), count_max() / 4)::bigint
    from api_key_usage u
    where u.api_key_id = key
      and u.day >= date_trunc('month', month_admitted_before.day::timestamp)::date
      and u.day < (date_trunc('month', month_admitted_before.day::timestamp) + interval '1 month')::date
  );
end
$$;

comment on function month_admitted_before is
  'The admitted requests of a key in a day''s month, from its history: finished days, and the part of today before a reset or a clock set back.';

-- Skipped numbers are never checked again: a sequence is not rolled back, even if the statement times out.
-- After 64 used numbers it skips the whole run, unless another transaction is doing so: the statement already holds locks,
-- so it never waits.
create or replace function new_category() returns categories
language plpgsql volatile set search_path = public, pg_temp as $$
declare
  next_id bigint;
  tries int := 0;
begin
  loop
    next_id := nextval('categories_id_seq');
    exit when not exists (select from categories where id = next_id) and not has_pets(next_id);
    tries := tries + 1;
    if tries % 64 = 0 and pg_try_advisory_xact_lock(hashtext('skip_used_ids'), hashtext('categories')) then
      perform skip_used_ids('categories');
    end if;
  end loop;
  return row(next_id, null)::categories;
end
$$;

comment on function new_category is 'A category with a number that no category or pet uses.';

-- 64 ids: as many as two statements take.
create or replace function next_ids_are_used(of_table text, after bigint) returns boolean
language plpgsql stable set search_path = public, pg_temp as $$
declare
  found_one boolean;
begin
  execute format('select exists (select from %I where id > $1 and id <= least($1, 9223372036854775807 - 64) + 64)', of_table) into found_one using after;
  return found_one;
end
$$;

comment on function next_ids_are_used is 'Whether a table has one of the 64 ids after the given one.';

comment on function order_may_become is 'Whether an order may move from the first status to the second.';

comment on function present is 'The time for which views show keys, limits and bans: the statement''s, by the database clock.';

comment on function put_category_if is
  'Gives a number a name. The outcome: created, changed, unchanged, or the reason why not: precondition_failed, category_exists (name taken), locked.';

create or replace function reject_later_revocation() returns trigger
language plpgsql as $$
begin
  raise exception 'revoked_at (%) is in the future, but revocation is immediate', new.revoked_at
    using errcode = 'check_violation', table = 'api_keys', column = 'revoked_at',
          hint = format('To end key %s later: select * from set_api_key_expiry(%s, expires => %L).', new.id, new.id, new.revoked_at);
end
$$;

comment on function reject_later_revocation is
  'Rejects a revoked_at in the future: any value revokes a key immediately.';

revoke execute on function reject_later_revocation() from public;

create or replace function release_ordered_pets() returns trigger
language plpgsql set search_path = public, pg_temp as $$
declare
  sold_ids bigint[];
  available_ids bigint[];
begin
  select
    array_agg(pet_id) filter (where status = 'delivered'),
    array_agg(pet_id) filter (where status = 'cancelled')
  into sold_ids, available_ids
  from (
    select pet_id, status from new_orders
    except all
    select pet_id, status from old_orders) as changed;
  -- Else each approval would run the triggers of pets twice for no rows.
  if sold_ids is null and available_ids is null then
    return null;
  end if;
  perform from pets where id = any(sold_ids || available_ids) order by id for no key update;
  update pets set status = 'sold' where id = any(sold_ids);
  update pets set status = 'available' where id = any(available_ids);
  return null;
end
$$;

comment on function release_ordered_pets is 'Updates the pets of delivered and cancelled orders.';

-- Only the owner's objects: others may own tables and functions in the schema. The statements work under any
-- search_path, so types have their schema. By default, JIT compilation of this would take a second. Every role may compare, but only
-- the owner reads wanted_rights. Superusers may do everything anyway.
create or replace function rights_that_differ() returns table (difference text, role name, privilege text, target text, object name, statement text, run_as name)
language sql stable security definer rows 10 set search_path = pg_catalog, pg_temp set jit = off as $$
  with listed as materialized (
    select role, privilege, object from public.role_rights()
    union all
    select role::name, privilege, object::name from public.wanted_rights
  ), owning as (
    select relowner as owner, rolname as owner_name
    from pg_class
    join pg_roles on pg_roles.oid = relowner
    where pg_class.oid = 'public.plans'::regclass
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
    select o.*
    from objects o
    join owning using (owner)
    where not exists (select from pg_depend d where d.classid = o.catalog and d.objid = o.oid and d.deptype = 'e')
  ), wanted as (
    select l.role, l.privilege, o.target, o.name
    from listed l
    join own o on o.name = l.object
    where l.role = 'public' or l.role in (select rolname from pg_roles)
  ), acls as (
    select name, target, owner, acl, null as "column" from own
    union all
    select o.name, o.target, o.owner, attacl, format(' (%I)', attname)
    from own o
    join pg_attribute on attrelid = o.oid and not attisdropped
    where o.catalog = 'pg_class'::regclass
    union all
    -- A role that can create functions here can have them called with the owner's rights.
    select 'schema public', 'schema public', nspowner, nspacl, null from pg_namespace where oid = 'public'::regnamespace
  ), present as (
    select grantee.role, g.privilege, a.name, a.target, format('revoke %s on %s from %I cascade', g.privilege, a.target, grantee.role) as statement, grantor.rolname as run_as
    from acls a
    cross join aclexplode(a.acl) x
    cross join unnest(case when x.is_grantable then array['', 'grant option for '] else array[''] end) as option
    cross join concat(option, lower(x.privilege_type collate "C"), a."column") as g (privilege)
    left join pg_roles r on r.oid = x.grantee
    cross join coalesce(r.rolname, 'public') as grantee (role)
    left join pg_roles grantor on grantor.oid = x.grantor
    where x.grantee <> a.owner
      and not coalesce(r.rolsuper, false)
      and (a.name <> 'schema public' or x.privilege_type = 'CREATE' and x.grantee <> (select owner from owning))
    union all
    -- Their members need no grant.
    select r.rolname, 'member', g.rolname, format('role %I', g.rolname),
      concat(format('revoke %I from %I', g.rolname, r.rolname), format(' granted by %I', grantor.rolname), ' cascade'), coalesce(grantor.rolname, 'a superuser')
    from owning
    join pg_roles g
      on g.oid = owner or g.rolsuper
        or g.rolname in ('pg_read_all_data', 'pg_write_all_data', 'pg_maintain', 'pg_read_server_files', 'pg_write_server_files', 'pg_execute_server_program')
    -- Its creator only administers a role.
    join pg_auth_members m on m.roleid = g.oid and not to_jsonb(m) @> '{"inherit_option": false, "set_option": false}'
    join pg_roles r on r.oid = m.member and r.oid <> owner and not r.rolsuper
    left join pg_roles grantor on grantor.oid = m.grantor
    union all
    -- They may drop the schema with all its contents.
    select r.rolname, 'owner', name, target, format('alter %s owner to %I', target, owner_name), 'a superuser'
    from owning
    cross join (
      select 'database', format('database %I', datname), datdba from pg_database where datname = current_database()
      union all
      select 'schema public', 'schema public', nspowner from pg_namespace where oid = 'public'::regnamespace
    ) as whole (name, target, holder)
    join pg_roles r on r.oid = holder and r.oid <> owner and not r.rolsuper and r.rolname <> 'pg_database_owner'
  ), unwanted as (
    select case when role in (select role from public.role_rights()) and name in (select name from own) then 'beyond' else 'unlisted' end as difference, present.*
    from present
    where (role, privilege, name) not in (select * from listed)
      and (name in (select object from listed) or name = 'schema public' or privilege in ('member', 'owner'))
  )
  select 'missing', role, privilege, target, name,
    format('grant %s on %s to %I', replace(privilege, 'grant option for ', ''), target, role)
      || case when starts_with(privilege, 'grant option for ') then ' with grant option' else '' end,
    (select owner_name from owning)
  from (select * from wanted except select role, privilege, target, name from present) as missing
  union all
  select difference, role, privilege, target, name, statement, run_as from unwanted
  union all
  select 'undecided', null, null, target, name, null, null from own where name not in (select object from listed)
$$;

comment on function rights_that_differ is
  'Rights that role_rights() or wanted_rights lists but a role lacks (missing), extra rights of roles in role_rights() (beyond) and those of any other role (unlisted), each with the SQL that changes it and the role to run it as; and objects that no list contains (undecided).';

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
    -- For ids that are already taken, and for old rows of usage and bans.
    ('petstore_service', 'execute', null, 'skip_used_ids, delete_old_usage, delete_usage_hour, delete_old_address_usage, delete_old_bans, delete_old_database_outages'),

    -- Operators write only the columns they control. Functions create ids and hashes.
    ('petstore_operator', 'select', null, '_prisma_migrations, plans, api_keys, api_key_counters, api_key_usage, api_key_usage_hours, address_usage_hours, api_key_bans, database_outages, operations, deprecated_operations, audit_log'),
    ('petstore_operator', 'select', null,
      'api_key_overview, api_key_daily_usage, customer_overview, plan_overview, plan_peaks, noisiest_api_keys, expiring_api_keys, api_key_hourly_usage, busiest_api_keys, '
      'api_keys_near_limit, deprecated_operation_callers, flooding_api_keys, last_24_hours, open_snapshots, recent_bans, unused_api_keys, usage_hours_gaps'),
    ('petstore_operator', 'insert', 'id, requests_per_minute, requests_per_day, requests_per_month, custom', 'plans'),
    ('petstore_operator', 'update', 'requests_per_minute, requests_per_day, requests_per_month, custom', 'plans'),
    ('petstore_operator', 'insert',
      'name, plan_id, requests_per_minute, requests_per_day, requests_per_month, expires_at, suspended_until, access, customer', 'api_keys'),
    ('petstore_operator', 'update',
      'name, plan_id, requests_per_minute, requests_per_day, requests_per_month, expires_at, revoked_at, suspended_until, bans_lifted_at, access, usage_reset_at, customer',
      'api_keys'),
    ('petstore_operator', 'select', 'api_key_id, prefix, created_at, expires_at', 'api_key_secrets'),
    ('petstore_operator', 'update', 'expires_at', 'api_key_secrets'),
    ('petstore_operator', 'execute', null,
      'issue_api_key, issue_api_keys, issue_customer_api_key, issue_customer_api_keys, rename_api_key, set_api_key_customer, '
      'rotate_api_key, revoke_api_key, set_api_key_plan, set_api_key_limits, suspend_api_key, resume_api_key, unban_api_key, '
      'set_api_key_expiry, set_api_key_access, reset_api_key_usage, extend_api_key_overlap, create_plan, set_plan, delete_plan, rename_plan, api_key_overview_of, busiest_api_keys_since, find_api_keys, '
      'plan_change_preview'),
    ('petstore_support', 'execute', null, 'api_key_overview_of, busiest_api_keys_since, find_api_keys, plan_change_preview'),

    -- Every role may call pure functions. Triggers call those that check or count pets and orders.
    ('public', 'execute', null,
      'present, today, this_hour, clock_tolerance, trusted_until, counts_in_minute, counts_in_day, awaits_reset, last_counted_at, is_valid, '
      'is_suspended, is_banned, latest_lift, is_admitted, minute_limit, day_limit, windows_of, month_admitted_before, warn_of_limits, count_max, saturated, is_instant, drawn_ids, next_ids_are_used, role_rights, rights_that_differ, '
      'unlisted_rights, missing_protections'),
    ('public', 'execute', null,
      'pet_json, order_json, category_json, new_pet, new_order, new_category, pet_inventory, etag_of, meets_preconditions, has_open_order, delete_pets_if, '
      'order_may_become, has_pets, category_conflict, put_category_if, delete_category_if'),
    ('public', 'execute', null,
      'enforce_order_transition, reserve_ordered_pets, release_ordered_pets, keep_ordered_pet_pending, keep_orders_of_pet, keep_orders_of_pets'),
    ('the owner', 'all', null, 'wanted_rights'),
    ('the owner', 'execute', null,
      'random_base62, end_of_used_ids, api_key_checksum, add_api_key_secret, new_secret, reject_second_secret, audit_changes, count_pets, count_no_pets, explain_key_values, explain_plan_values, explain_limits, '
      'explain_plan_numbers, follow_plan, limit_changes, make_api_key_counters, add_to_month, reject_change, reject_deleting_used_plan, reject_later_revocation')
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
  -- The service draws ids from the sequences before it inserts. Elsewhere the default does.
  select case when privilege is null then 'the owner' else role end, 'usage', sequence_name
  from drawn_ids()
  left join rights on object = table_name and role = 'petstore_service' and privilege = 'insert'
$$;

comment on function role_rights is 'What each role may do with each table, view, sequence and function. prisma/roles.sql grants it.';

comment on function saturated is 'A sum of counts, capped at the largest bigint; null for no rows.';

-- Skips a million consecutive rows at once, but not to a single row far ahead: at most 64 ids per id that it passes. It ends at
-- the id of a row.
-- Concurrent calls wait for each other, and the later ones find nothing to do. The sequence never moves back: short steps use
-- nextval, and other sessions do not take a thousand ids during a long one.
create or replace function skip_used_ids(of_table text) returns bigint
language plpgsql volatile security definer set search_path = public, pg_temp as $$
declare
  used_sequence regclass;
  last bigint;
  used_end bigint;
begin
  if not exists (select from drawn_ids() where table_name = of_table) then
    raise exception 'unknown table "%"', of_table using
      errcode = 'invalid_parameter_value',
      hint = format('The tables are %s.', (select string_agg(table_name, ', ' order by table_name) from drawn_ids()));
  end if;
  perform pg_advisory_xact_lock(hashtext('skip_used_ids'), hashtext(of_table));
  used_sequence := pg_get_serial_sequence(quote_ident(of_table), 'id');
  last := nextval(used_sequence);
  loop
    used_end := end_of_used_ids(of_table, last);
    exit when used_end is null;
    last := nextval(used_sequence);
    if used_end - last > 1024 then
      last := setval(used_sequence, used_end);
    else
      while last < used_end loop
        last := nextval(used_sequence);
      end loop;
    end if;
  end loop;
  return last;
end
$$;

comment on function skip_used_ids is
  'Moves the sequence of a table past ids that are in use: select skip_used_ids(''pets''). Returns the last skipped id.';

revoke execute on function skip_used_ids(text) from public;

comment on function trusted_until is 'Counters after this time come from another clock and are ignored.';

-- One per role, because platforms grant a role rights on every object. Rights to change something come first.
create or replace function unlisted_rights() returns table (finding text)
language sql stable rows 5 set search_path = public, pg_temp as $$
  select distinct on (role)
    format('%s has unlisted rights (%s), such as %s%s. As %s, run: %s; "petstore db roles --revoke-unlisted" revokes those granted in this database. To allow them, run as the owner: insert into wanted_rights select role, privilege, object from rights_that_differ() where difference = ''unlisted'' and role = %L;',
      role, count(*) over (partition by role), privilege, case when privilege in ('member', 'owner') then ' of ' else ' on ' end || target, run_as, statement, role)
  from rights_that_differ()
  where difference = 'unlisted'
  order by role, privilege ~ '^(select|usage)', privilege, target
$$;

comment on function unlisted_rights is
  'Roles with rights that neither role_rights() nor wanted_rights lists: one sentence each, with SQL that revokes one.';

create or replace function warn_of_limits(who text, key api_keys, plan plans) returns void
language plpgsql stable set search_path = public, pg_temp as $$
declare
  wrong record;
begin
  for wrong in
    select *
    from (
      select name, allowed, lag(name) over (order by nth) as shorter, lag(allowed) over (order by nth) as more
      from windows_of(key, plan, null)
      where allowed is not null
    ) as pair
    where more > allowed
  loop
    raise warning '% may make % requests a %, but only % a %', who, wrong.more, wrong.shorter, wrong.allowed, wrong.name;
  end loop;
end
$$;

comment on function warn_of_limits is 'Warns if a longer window has a lower limit than a shorter one.';

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

comment on function delete_plan is 'Deletes a plan without keys, not even revoked ones: select * from delete_plan(''startup'').';

create or replace function extend_api_key_overlap(id bigint, overlap interval default '24 hours') returns api_key_overview
language plpgsql volatile set search_path = public, pg_temp as $$
#variable_conflict use_column
declare
  present constant timestamptz := statement_timestamp();
  extending constant api_key_overview := api_key_overview_of(extend_api_key_overlap.id);
begin
  if overlap is null or overlap <= interval '0' then
    raise exception 'invalid overlap %', coalesce(overlap::text, 'null')
      using errcode = 'invalid_parameter_value', hint = 'Pass a duration, such as ''24 hours''.';
  end if;
  if extending.revoked_at is not null then
    raise exception 'key % is revoked', extending.id
      using errcode = 'invalid_parameter_value', hint = 'Issue a new key instead: select * from issue_api_key(…), or petstore keys issue.';
  end if;
  if exists (select from api_keys where id = extending.id and expires_at <= present) then
    raise exception 'key % has expired', extending.id
      using errcode = 'invalid_parameter_value',
            hint = format(
              'Change its expiry first: select * from set_api_key_expiry(%1$s, null), or petstore keys set-expiry %1$s never.', extending.id);
  end if;
  update api_key_secrets
  set expires_at = greatest(expires_at, present + overlap)
  where api_key_id = extending.id and expires_at > clock_timestamp();
  if not found then
    raise exception 'key % has no old secret that still works', extending.id
      using errcode = 'invalid_parameter_value',
        hint = 'An expired secret cannot be extended. To add one: select * from rotate_api_key(id), or petstore keys rotate ID.';
  end if;
  return api_key_overview_of(extending.id);
end
$$;

comment on function extend_api_key_overlap is
  'Extends the old secrets of a rotation that still work, counted from now: select * from extend_api_key_overlap(7, overlap => ''24 hours'').';

revoke execute on function extend_api_key_overlap(bigint, interval) from public;

comment on function find_api_keys is
  'The keys with these SHA-256 hashes, and whether each is valid, even if suspended or banned: select * from find_api_keys(array[sha256(''psk_…'')]).';

comment on function rename_api_key is
  'Renames a key; its usage stays with it: select * from rename_api_key(7, ''Acme mobile'').';

-- With the owner's rights, like delete_plan. The id of a plan never changes, so its audit has one name: all keys move to a new
-- plan, regardless of changes_max. Concurrent key issues wait, then fail because the plan is gone.
create or replace function rename_plan(id text, new_id text) returns plan_overview
language plpgsql volatile security definer set search_path = public, pg_temp as $$
#variable_conflict use_column
declare
  changes_max constant text := coalesce(current_setting('petstore.changes_max', true), '');
  changes_made constant text := coalesce(current_setting('petstore.changes_made', true), '');
  old plans;
  result plan_overview;
begin
  select * into old from plans where id = rename_plan.id for update;
  if not found then
    raise exception 'plan "%" does not exist', rename_plan.id
      using errcode = 'no_data_found', hint = 'To see the plans: select * from plan_overview, or petstore plans list.';
  end if;
  perform create_plan(new_id, old.requests_per_minute, old.requests_per_day, old.custom, old.requests_per_month);
  -- Changes of this function are neither limited nor counted.
  perform set_config('petstore.changes_max', '2147483647', true);
  update api_keys set plan_id = new_id where plan_id = old.id;
  perform set_config('petstore.changes_max', changes_max, true), set_config('petstore.changes_made', changes_made, true);
  delete from plans where id = old.id;
  select * into strict result from plan_overview where id = new_id;
  return result;
end
$$;

comment on function rename_plan is
  'Changes the id of a plan and of all its keys: select * from rename_plan(''startup'', ''growth'').';

revoke execute on function rename_plan(text, text) from public;

comment on function reset_api_key_usage is
  'Resets the minute and day of a key; bans and rejections stay: select * from reset_api_key_usage(7).';

comment on function set_api_key_access is
  'Sets a key''s access: read or write: select * from set_api_key_access(7, ''read'').';

comment on function set_api_key_customer is
  'Sets the customer of a key, or null; its usage stays with it: select * from set_api_key_customer(7, ''crm-4711'').';

comment on view api_key_hourly_usage is
  'Requests by hour, key, operation and outcome, except those of the last 10 s. Filter by key or hour: where api_key_id = 7 order by hour.';
comment on column api_key_hourly_usage.mean_ms is 'Mean milliseconds from the headers of a request to its response.';
comment on column api_key_hourly_usage.minute_peak is 'The highest minute count of the key after one of these requests; the peak of the hour is the maximum of its rows.';
comment on column api_key_hourly_usage.hour is 'When the hour began (UTC).';
comment on column api_key_hourly_usage.operation is 'The operationId of the interface; none where no route matched.';
comment on column api_key_hourly_usage.outcome is 'success, client_error, server_error, limited, banned, suspended, unauthorized or undecided.';
comment on column api_key_hourly_usage.requests is 'Requests with this outcome.';
comment on column api_key_hourly_usage.customer is 'Whose key it is: the customer''s id in another system; null if none is known.';

-- A key as admission sees it. prisma/sql/functions has the rules, e.g. is_banned.
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
  num_nonnulls(k.requests_per_minute, k.requests_per_day, k.requests_per_month) > 0 as own_limits,
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
  k.customer,
  coalesce(k.requests_per_month, p.requests_per_month) as requests_per_month,
  case when coalesce(k.requests_per_month, p.requests_per_month) is not null then saturated(
    month.admitted + case when c.day >= month.begins and c.day < month.ends then c.day_admitted else 0 end) end as month_admitted
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
) as s on true
left join lateral (
  select begins, ends, coalesce(sum(u.admitted), 0) as admitted
  from (
    select date_trunc('month', today()::timestamp)::date as begins, (date_trunc('month', today()::timestamp) + interval '1 month')::date as ends
  ) as present
  left join api_key_usage u on u.api_key_id = k.id and u.day >= begins and u.day < ends
  where coalesce(k.requests_per_month, p.requests_per_month) is not null
  group by begins, ends
) as month on true;

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
comment on column api_key_overview.requests_per_month is 'The limit in force: the key''s own, or its plan''s; null if there is none.';
comment on column api_key_overview.month_admitted is 'Requests admitted in the current UTC month, also before resets; null without such a limit.';

-- Scans api_key_counters: an index on columns that admission writes would prevent HOT updates.
create or replace view api_keys_near_limit as
select
  k.id as api_key_id, k.name, k.plan_id,
  round((k.minute_admitted / k.requests_per_minute::float8)::numeric, 3) as minute_share,
  round((k.day_admitted / k.requests_per_day::float8)::numeric, 3) as day_share,
  k.minute_admitted, k.requests_per_minute, k.day_admitted, k.requests_per_day,
  peak.hour as busiest_hour, peak.admitted as busiest_hour_admitted,
  k.customer,
  round((k.month_admitted / k.requests_per_month::float8)::numeric, 3) as month_share, k.month_admitted, k.requests_per_month
from (
  select distinct api_key_id
  from (
    select c.api_key_id, row_number() over (partition by w.name order by w.share desc, c.api_key_id) as rank
    from api_key_counters c
    join api_keys k on k.id = c.api_key_id
    join plans p on p.id = k.plan_id
    cross join lateral (
      select name, admitted / allowed::float8 as share from windows_of(k, p, c) where allowed is not null
    ) as w
    where counts_in_day(c)
      and is_valid(k)
      and not awaits_reset(k, c)
  ) as ranked
  where rank <= 100
) as near
join api_key_overview k on k.id = near.api_key_id
join api_keys key on key.id = near.api_key_id
join plans p on p.id = key.plan_id
join api_key_counters c on c.api_key_id = near.api_key_id
cross join lateral (
  select max(admitted / allowed::float8) as share from windows_of(key, p, c)
) as most
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
order by most.share desc, near.api_key_id;

comment on view api_keys_near_limit is
  'The top hundred keys by share of the current minute, of the day and of the month, with the busiest hour of the last 24. Filter with: where day_share > 0.8.';
comment on column api_keys_near_limit.minute_share is 'The used share of the limit of the current minute; 1 is all of it.';
comment on column api_keys_near_limit.day_share is 'The used share of the limit of the current day; 1 is all of it.';
comment on column api_keys_near_limit.minute_admitted is 'Requests admitted in the current UTC minute, since the last reset.';
comment on column api_keys_near_limit.requests_per_minute is 'The limit in force: the key''s own, or its plan''s.';
comment on column api_keys_near_limit.day_admitted is 'Requests admitted in the current UTC day, since the last reset.';
comment on column api_keys_near_limit.requests_per_day is 'The limit in force: the key''s own, or its plan''s.';
comment on column api_keys_near_limit.busiest_hour is 'The hour of the last 24 with the most admitted requests.';
comment on column api_keys_near_limit.busiest_hour_admitted is 'Requests admitted in that hour.';
comment on column api_keys_near_limit.customer is 'Whose key it is: the customer''s id in another system; null if none is known.';
comment on column api_keys_near_limit.month_share is 'The share of the limit that the present month has used; null if there is no such limit.';
comment on column api_keys_near_limit.month_admitted is 'Requests admitted in the current UTC month.';
comment on column api_keys_near_limit.requests_per_month is 'The limit in force: the key''s own, or its plan''s; null if there is none.';

create or replace view customer_overview as
select
  k.customer,
  count(*) as keys,
  count(*) filter (where k.state not in ('unissued', 'expired', 'revoked')) as live_keys,
  count(*) filter (where k.state not in ('unissued', 'expired', 'revoked') and k.day_admitted > 0.8 * k.requests_per_day) as near_limit_keys,
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
comment on column customer_overview.near_limit_keys is 'Keys above 80 % of their daily limit.';
comment on column customer_overview.day_admitted is 'Requests admitted in the current UTC day, of each key since its last reset.';
comment on column customer_overview.day_refused is 'Requests rejected in the current UTC day.';
comment on column customer_overview.last_used_at is 'The last counted request of any of the keys.';

comment on view deprecated_operation_callers is
  'Every key that called a deprecated operation within the retention (35 days by default), latest first. Calls that admission rejected do not count.';
comment on column deprecated_operation_callers.operation is 'The operationId of the deprecated operation.';
comment on column deprecated_operation_callers.last_hour is 'The last hour in which the key called it.';
comment on column deprecated_operation_callers.requests_24h is 'Its requests of the last 24 hours.';

comment on view expiring_api_keys is
  'Keys and secrets that will expire, soonest first. Filter with: where expires_at < now() + interval ''14 days''.';
comment on column expiring_api_keys.expires is 'key: the whole key expires; secret: only the secret with this prefix expires.';
comment on column expiring_api_keys.ends_key is 'Whether the key stops working completely then.';
comment on column expiring_api_keys.prefix is 'The first 12 characters of the secret that expires; null for a key.';
comment on column expiring_api_keys.expires_at is 'When the key or the secret stops working.';

create or replace view flooding_api_keys as
select
  k.id as api_key_id, k.name, k.plan_id, k.state, rejected.rejected, rejected.limited, rejected.banned, k.banned_until,
  k.requests_per_minute, k.requests_per_day, rejected.suspended
from (
  select
    u.api_key_id,
    saturated(sum(u.requests)) as rejected,
    coalesce(saturated(sum(u.requests) filter (where u.outcome = 'limited')), 0) as limited,
    coalesce(saturated(sum(u.requests) filter (where u.outcome = 'banned')), 0) as banned,
    coalesce(saturated(sum(u.requests) filter (where u.outcome = 'suspended')), 0) as suspended
  from api_key_usage_hours u
  where u.hour in (this_hour(), this_hour() - interval '1 hour')
    and u.outcome in ('limited', 'banned', 'suspended')
  group by u.api_key_id
  order by rejected desc, u.api_key_id
  limit 100
) as rejected
join api_key_overview k on k.id = rejected.api_key_id
order by rejected.rejected desc, k.id;

comment on view flooding_api_keys is
  'The hundred keys with most rejections in this hour and the previous one, including bans and suspensions but not the last 10 s.';
comment on column flooding_api_keys.state is 'live, suspended, banned, expired, revoked or unissued.';
comment on column flooding_api_keys.rejected is 'Rejected requests of both hours.';
comment on column flooding_api_keys.limited is 'Rejected because a limit was used up (429).';
comment on column flooding_api_keys.banned is 'Rejected because of a ban (429); before 2.0 also because of a suspension (403).';
comment on column flooding_api_keys.banned_until is 'When the current ban ends; null if there is none.';
comment on column flooding_api_keys.requests_per_minute is 'The limit in force: the key''s own, or its plan''s.';
comment on column flooding_api_keys.requests_per_day is 'The limit in force: the key''s own, or its plan''s.';
comment on column flooding_api_keys.suspended is 'Rejected because of a suspension (403), since 2.0.';

comment on view open_snapshots is
  'What keeps the server from removing old row versions, which slows everything down. Filter with: where transactions >= 1000.';
comment on column open_snapshots.kind is
  'session, standby (with hot_standby_feedback), slot (of replication), or prepared transaction.';
comment on column open_snapshots.name is 'The pid of a session or standby, the name of a slot, the id of a prepared transaction.';
comment on column open_snapshots.role is 'Whose session or prepared transaction it is.';
comment on column open_snapshots.program is 'The application_name of a session or standby, the plugin of a slot.';
comment on column open_snapshots.since is
  'When its transaction began; null for a standby, a slot, and sessions of other roles unless you have pg_read_all_stats.';
comment on column open_snapshots.transactions is 'How many transactions have begun since. An old snapshot does no harm while nothing is written.';
comment on column open_snapshots.xid is 'The oldest transaction that it retains, perhaps one of another session.';
comment on column open_snapshots.virtualxid is 'The transaction of a session; it changes when the transaction ends.';
comment on column open_snapshots.remedy is 'What ends it: SQL, for the role of the session or a superuser, or a sentence.';

create or replace view plan_overview as
select
  p.id,
  p.custom,
  p.requests_per_minute,
  p.requests_per_day,
  coalesce(k.keys, 0) as keys,
  coalesce(live.keys, 0) as live_keys,
  coalesce(k.suspended_keys, 0) as suspended_keys,
  coalesce(used.active_keys, 0) as active_keys,
  coalesce(used.near_limit_keys, 0) as near_limit_keys,
  p.requests_per_month
from plans p
left join (
  select k.plan_id, count(*) as keys, count(*) filter (where is_suspended(k) and k.revoked_at is null) as suspended_keys
  from api_keys k
  group by k.plan_id
) as k on k.plan_id = p.id
left join (
  select a.plan_id, count(*) as keys
  from api_keys a
  where is_valid(a)
    and exists (select from api_key_secrets s where s.api_key_id = a.id and is_valid(s))
  group by a.plan_id
) as live on live.plan_id = p.id
left join (
  select
    k.plan_id,
    count(*) as active_keys,
    count(*) filter (
      where c.day_admitted > 0.8 * day_limit(k, p) and is_valid(k) and not awaits_reset(k, c)
        and k.id in (select s.api_key_id from api_key_secrets s where is_valid(s))
    ) as near_limit_keys
  from api_key_counters c
  join api_keys k on k.id = c.api_key_id
  join plans p on p.id = k.plan_id
  where counts_in_day(c)
  group by k.plan_id
) as used on used.plan_id = p.id;

comment on view plan_overview is 'Every plan with its limits and the number of its keys.';
comment on column plan_overview.live_keys is 'Keys that have a secret and are neither revoked nor expired, including suspended and banned keys.';
comment on column plan_overview.custom is 'True if the plan has no limits and each of its keys has its own.';
comment on column plan_overview.requests_per_minute is 'Requests that each key may make in a UTC minute; null on a custom plan.';
comment on column plan_overview.requests_per_day is 'Requests that each key may make in a UTC day; null on a custom plan.';
comment on column plan_overview.keys is 'Keys of the plan, also revoked and expired ones.';
comment on column plan_overview.suspended_keys is 'Those that an operator has suspended.';
comment on column plan_overview.active_keys is 'Those with a request in the present UTC day, admitted or limited.';
comment on column plan_overview.near_limit_keys is 'Keys above 80 % of their daily limit.';
comment on column plan_overview.requests_per_month is 'Requests that each key may make in a UTC month; null: no such limit.';

comment on view plan_peaks is
  'The recent peak usage of a key among those now on each plan, even while on another. Keys with their own limit are excluded for it.';
comment on column plan_peaks.highest_minute is
  'The most admitted requests of one key in a minute of the last 24 hours; null if there were none.';
comment on column plan_peaks.highest_day is
  'The most admitted requests of one key in the current UTC day; null if there were none.';

-- The counters hold only the last ban of a key, which may be in force. The audit log has who lifted it.
create or replace view recent_bans as
select
  b.began_at, b.api_key_id, k.name, k.plan_id, b.ends_at, b.minute_limit, b.day_limit,
  lifted.at as lifted_at,
  is_banned(k, c) as in_force,
  b.month_limit
from api_key_bans b
left join api_keys k on k.id = b.api_key_id
left join api_key_counters c on c.api_key_id = b.api_key_id and c.banned_at = b.began_at
left join lateral (
  select min(a.changed_at) as at
  from audit_log a
  where a.api_key_id = b.api_key_id
    and a.changed_at between b.began_at and b.ends_at
    and (a.new ->> 'bans_lifted_at')::timestamptz >= b.began_at
) as lifted on true
order by b.began_at desc;

comment on view recent_bans is 'Bans, latest first, with the key''s limits at the time. lifted_at is when an operator ended it.';
comment on column recent_bans.began_at is 'When a rejection started the ban.';
comment on column recent_bans.ends_at is 'When the ban ends unless an operator lifts it.';
comment on column recent_bans.minute_limit is 'The limit per minute that was in force.';
comment on column recent_bans.day_limit is 'The limit per day that was in force.';
comment on column recent_bans.lifted_at is 'When an operator lifted the ban; null if none did.';
comment on column recent_bans.in_force is 'Whether the ban rejects requests at this time.';
comment on column recent_bans.month_limit is 'The limit per month that was in force; null if there was none.';

comment on view unused_api_keys is
  'Keys that are neither revoked nor expired and have had no admitted or limited request for 90 days, never-used ones first.';
comment on column unused_api_keys.last_used_at is 'The minute or day of the last counted request; null if there was none.';
comment on column unused_api_keys.expires_at is 'When the key stops working; null means never.';

comment on view usage_hours_gaps is
  'How many admitted and rejected (refused) requests of a day are missing from the hours: the last 10 s, and killed replicas. Also when replicas had no database (UTC). Filter with: where day = today().';
comment on column usage_hours_gaps.day is 'The UTC day.';
comment on column usage_hours_gaps.admitted is 'Requests that admission admitted in the day.';
comment on column usage_hours_gaps.admitted_missing is 'How many of them the hours lack.';
comment on column usage_hours_gaps.refused is 'Requests that admission rejected in the day.';
comment on column usage_hours_gaps.refused_missing is 'How many of them the hours lack.';
comment on column usage_hours_gaps.without_database is
  'Outages by replica (UTC), at most a hundred a day. A replica that was killed during one is missing.';

create or replace trigger api_key_secrets_explain_times
  before update of expires_at on api_key_secrets
  for each row when (isfinite(new.expires_at) and not is_instant(new.expires_at))
  execute function reject_change(
    'expires_at needs a year of four digits', 'For a secret without expiry: null.');

-- An expired secret may since have leaked. Not statement_timestamp(): another operator may expire the secret while this
-- statement waits for its row.
create or replace trigger api_key_secrets_not_revived
  before update of expires_at on api_key_secrets
  for each row when (
    old.expires_at <= clock_timestamp() and coalesce(new.expires_at, 'infinity') > old.expires_at)
  execute function reject_change(
    'an expired secret cannot be extended', 'To add one: select * from rotate_api_key(id), or petstore keys rotate ID.');

create or replace trigger api_key_usage_adds_to_month
  after insert or update of admitted on api_key_usage
  for each row execute function add_to_month();

create or replace trigger api_keys_explain_limits
  before insert or update of requests_per_minute, requests_per_day, requests_per_month on api_keys
  for each row when (new.requests_per_minute < 1 or new.requests_per_day < 1 or new.requests_per_month < 1)
  execute function explain_limits(
    'Null means the limit of the plan. To stop a key: select * from suspend_api_key(id), or petstore keys suspend ID.');

create or replace trigger api_keys_explain_times
  before insert or update of expires_at, suspended_until, revoked_at, usage_reset_at on api_keys
  for each row when (not (
    (not isfinite(new.expires_at) or is_instant(new.expires_at))
    and (not isfinite(new.suspended_until) or is_instant(new.suspended_until))
    and is_instant(new.revoked_at) and is_instant(new.usage_reset_at)))
  execute function reject_change(
    'expires_at, suspended_until, revoked_at and usage_reset_at need a year of four digits',
    'To suspend forever or never expire: infinity.');

create or replace trigger api_keys_follow_plan
  before insert or update of plan_id, plan_custom, requests_per_minute, requests_per_day, requests_per_month on api_keys
  for each row execute function follow_plan();

create or replace trigger api_keys_limit_inserts after insert on api_keys
  referencing new table as new_rows for each statement execute function limit_changes();

create or replace trigger plans_explain_limits
  before insert or update of requests_per_minute, requests_per_day, requests_per_month on plans
  for each row when (new.requests_per_minute < 1 or new.requests_per_day < 1 or new.requests_per_month < 1)
  execute function explain_limits(
    'To stop the keys of a plan, suspend them: select suspend_api_key(id) from api_keys where plan_id = ….');

create or replace trigger plans_limit_inserts after insert on plans
  referencing new table as new_rows for each statement execute function limit_changes();
