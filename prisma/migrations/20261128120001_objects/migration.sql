-- From prisma/sql by "npm run migration". Changes below this line are lost.

comment on table address_usage_hours is
  'The requests that were rejected by their client address and not by a key, by hour (UTC). Written every 10 s, so it may lack the last ones.';
comment on column address_usage_hours.hour is 'When the hour began (UTC).';
comment on column address_usage_hours.outcome is 'unauthorized (401: no key, or one that does not exist) or limited (429 of the address, also for public documents).';
comment on column address_usage_hours.requests is 'Requests with this outcome, of all addresses.';

comment on type api_key_access is 'What a key may do: read (GET and HEAD alone) or write (everything).';

comment on table api_key_bans is 'The bans of each key, with the limits that it had. A ban that an operator lifted has ended before ends_at: recent_bans.';
comment on column api_key_bans.began_at is 'When the rejection came that began the ban.';
comment on column api_key_bans.ends_at is 'When the ban ends unless an operator lifts it.';
comment on column api_key_bans.minute_limit is 'The limit per minute that was in force.';
comment on column api_key_bans.day_limit is 'The limit per day that was in force.';

comment on table api_key_counters is 'The counters of each key: its current minute and day (UTC) and its last ban. Only the service writes them.';
comment on column api_key_counters.usage_reset_at is 'The reset of the key that was applied last.';
comment on column api_key_counters.minute is 'The UTC minute that is counted; -infinity before the first request.';
comment on column api_key_counters.minute_admitted is 'Requests admitted in the minute, since the last reset.';
comment on column api_key_counters.minute_refused is 'Requests rejected in the minute.';
comment on column api_key_counters.day is 'The UTC day of the minute.';
comment on column api_key_counters.day_admitted is 'Requests admitted in the day, since the last reset.';
comment on column api_key_counters.day_refused is 'Requests rejected in the day.';
comment on column api_key_counters.banned_at is 'When the last ban began.';
comment on column api_key_counters.banned_until is 'When the last ban ends unless an operator lifts it.';
comment on column api_key_counters.generation is 'Grows once in some hundred updates of the row, so that an index leads to its newest version.';

comment on table api_key_secrets is 'The secrets of a key: one, and more during a rotation. Only the SHA-256 is stored.';
comment on column api_key_secrets.prefix is 'The first 12 characters of the secret, to identify it.';
comment on column api_key_secrets.hash is 'The SHA-256 of the secret. Operators cannot read it.';
comment on column api_key_secrets.expires_at is 'When the secret stops working; null means never.';

comment on table api_key_usage is 'The completed days (UTC) of each key. The current day is in api_key_counters.';
comment on column api_key_usage.day is 'A UTC day that has ended, or the present one up to the last reset.';
comment on column api_key_usage.admitted is 'Requests admitted in the day.';
comment on column api_key_usage.refused is 'Requests rejected in the day.';

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

comment on table audit_log is 'Every change to keys, secrets and plans. Append-only.';
comment on column audit_log.changed_at is 'When the statement ended; its transaction committed later.';
comment on column audit_log.role is 'The role that logged in to the database.';
comment on column audit_log.actor is 'The person on whose behalf the role acted, set with set_config(''petstore.actor'', …). The command line sets the user of the operating system. Up to 255 characters.';
comment on column audit_log.application is 'The application_name of the connection.';
comment on column audit_log.old is 'The old values of the changed columns; all non-null values of a deleted row. Without hashes.';
comment on column audit_log.new is 'The new values of the changed columns; all non-null values of an inserted row. Without hashes.';
comment on column audit_log.action is 'insert, update or delete.';
comment on column audit_log.table_name is 'The table that was changed: api_keys, api_key_secrets or plans.';

comment on table categories is 'The names of categories. A pet may also refer to a number that has none.';
comment on column categories.name is 'Unique without regard to the case of ASCII letters.';

comment on table database_outages is
  'When a replica had no database, or one that rejected all statements, for a second or longer. Written when it was back; that of a replica that was stopped or killed meanwhile is missing.';
comment on column database_outages.replica is 'The host name of the replica.';
comment on column database_outages.began_at is 'When the replica found that it had none, by the clock of the database.';
comment on column database_outages.ended_at is 'When it was back.';
comment on column database_outages.undecided_of_no_key is
  'Requests with a secret of no key that this replica could not decide about since the outage before. Those of keys are in api_key_usage_hours.';

comment on table deprecated_operations is 'The deprecated operations of the API. The release that deprecates one adds it.';
comment on column deprecated_operations.operation is 'The operationId.';

comment on table idempotency_keys is 'The first responses by API key and Idempotency-Key, for 24 hours. Only the service writes them.';
comment on column idempotency_keys.fingerprint is 'SHA-256 of method, path and body, which a repeat must match.';
comment on column idempotency_keys.resource_id is 'The id of the created pet or order, for the Location of a repeat.';
comment on column idempotency_keys.answer is 'The body of the first response, byte for byte.';
comment on column idempotency_keys.key is 'The Idempotency-Key of the request.';
comment on column idempotency_keys.expires_at is 'From then on a request with the key is a new one.';

comment on type issued_api_key is 'The result of issue_api_key.';
comment on column issued_api_key.key is 'The plain key, which is stored nowhere.';
comment on column issued_api_key.prefix is 'The first 12 characters of the key, which identify it.';
comment on column issued_api_key.requests_per_minute is 'The limit in force: the key''s own, or its plan''s.';
comment on column issued_api_key.requests_per_day is 'The limit in force: the key''s own, or its plan''s.';
comment on column issued_api_key.expires_at is 'When the key stops working; null means never.';

comment on type order_status is 'The states of an order.';

comment on table orders is
  'The orders of the store. Only status can change, one transition at a time: placed, approved, delivered; or cancelled before delivery. Triggers update the status of the pet.';
comment on column orders.updated_at is 'When the status last changed; set by a trigger.';
comment on index orders_open_pet_id_key is 'A pet has at most one open order (placed or approved).';
comment on column orders.status is 'placed, approved, delivered or cancelled.';

comment on table pet_counts is
  'Partial counts of pets by status; select * from pet_inventory() adds them up. Only triggers of pets write them.';
comment on column pet_counts.version is
  'Only the highest version of a slot counts. Version 0 never changes: it keeps a slot from being created twice.';
comment on column pet_counts.slot is 'Writers at the same time add to different slots.';
comment on column pet_counts.available is 'The part of this slot; it may be negative.';
comment on column pet_counts.pending is 'The part of this slot; it may be negative.';
comment on column pet_counts.sold is 'The part of this slot; it may be negative.';

comment on type pet_status is 'The states of a pet.';

comment on table pets is 'The pets of the store.';
comment on column pets.category_id is 'Any int64. Table categories has the names of some.';
comment on column pets.status is 'Null if the pet has no status.';

comment on table plans is 'The request limits of each plan. A change applies to the next request on every replica.';
comment on column plans.custom is 'True if the plan has no limits and each of its keys has its own.';
comment on column plans.requests_per_minute is 'Requests that each key may make in a UTC minute; null on a custom plan.';
comment on column plans.requests_per_day is 'Requests that each key may make in a UTC day; null on a custom plan.';

comment on type rotated_api_key is 'The result of rotate_api_key.';
comment on column rotated_api_key.key is 'The new plain key, which is stored nowhere.';
comment on column rotated_api_key.prefix is 'The first 12 characters of the new key, which identify it.';
comment on column rotated_api_key.old_secrets_expire_at is 'When the last of the old secrets stops working.';

create or replace function add_api_key_secret(key_id bigint) returns text
language plpgsql volatile strict set search_path = public, pg_temp as $$
declare
  plain constant text := new_secret();
begin
  perform reject_second_secret('key ' || key_id, 'rotate');
  -- Not now(), so that secrets added in one transaction have an order.
  insert into api_key_secrets (hash, api_key_id, prefix, created_at)
  values (sha256(convert_to(plain, 'UTF8')), key_id, left(plain, 12), clock_timestamp());
  return plain;
end
$$;

comment on function add_api_key_secret is
  'Adds a secret to a key and returns the plain key, which is stored nowhere. A statement can add one for each key.';

revoke execute on function add_api_key_secret(bigint) from public;

create or replace function api_key_checksum(body text) returns text
language plpgsql immutable strict parallel safe as $$
declare
  digits constant text := '0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz';
  bytes constant bytea := convert_to(body, 'UTF8');
  crc bigint := 4294967295;
  result text := '';
begin
  for position in 0..octet_length(bytes) - 1 loop
    crc := crc # get_byte(bytes, position);
    for bit in 1..8 loop
      crc := case when crc & 1 = 1 then (crc >> 1) # 3988292384 else crc >> 1 end;
    end loop;
  end loop;
  crc := crc # 4294967295;
  for digit in 1..6 loop
    result := substr(digits, (crc % 62)::integer + 1, 1) || result;
    crc := crc / 62;
  end loop;
  return result;
end
$$;

comment on function api_key_checksum is
  'The last six characters of a key: the CRC-32 (IEEE, reflected) of the characters before them, in base62.';

revoke execute on function api_key_checksum(text) from public;

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

create or replace function awaits_reset(key api_keys, counters api_key_counters) returns boolean
language sql stable parallel safe
return key.usage_reset_at is not null and key.usage_reset_at is distinct from counters.usage_reset_at;

comment on function awaits_reset is 'Whether the next request of a key empties what its windows have admitted, because an operator has reset it.';

-- It tries, because only the unique index knows what open transactions have inserted, and undoes it.
create or replace function category_conflict(new_name text) returns text
language plpgsql volatile set search_path = public, pg_temp set lock_timeout = '5ms' as $$
begin
  insert into categories values ((-9e18 * random())::bigint, new_name);
  raise sqlstate 'UNDO0';
exception
  when sqlstate 'UNDO0' then return null;
  when unique_violation then return 'category_exists';
  when lock_not_available then return 'locked';
end
$$;

comment on function category_conflict is
  'Why no category can get a name: category_exists (one has it, but for the case of ASCII letters), locked (an open transaction is giving it away), or null.';

create or replace function category_json(category categories) returns text
language sql stable parallel safe
return '{"id":' || category.id || ',"name":' || to_json(category.name) || '}';

comment on function category_json is 'A category as the API returns it.';

create or replace function clock_tolerance() returns interval
language sql immutable parallel safe
return interval '2 minutes';

comment on function clock_tolerance is
  'How far the counters of a key may be ahead. Those that are further ahead were written by another clock, such as that of an earlier primary, and begin anew.';

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

create or replace function day_limit(key api_keys, plan plans) returns integer
language sql stable parallel safe
return coalesce(key.requests_per_day, plan.requests_per_day);

comment on function day_limit is 'The limit per day in force: the key''s own, or its plan''s.';

-- It waits for no row: the outcome is 'locked' if another transaction has locked the category.
create or replace function delete_category_if(of_id bigint, if_match text, if_none_match text) returns text
language plpgsql volatile set search_path = public, pg_temp as $$
declare
  category categories;
  is_held boolean;
begin
  select * into category from categories where id = of_id for update skip locked;
  is_held := found;
  if not is_held then
    select * into category from categories where id = of_id;
    if not found then return 'category_not_found'; end if;
  end if;
  if not meets_preconditions(category_json(category), if_match, if_none_match) then return 'precondition_failed'; end if;
  if has_pets(of_id) then return 'category_in_use'; end if;
  if not is_held then return 'locked'; end if;
  delete from categories where id = of_id;
  return 'deleted';
end
$$;

comment on function delete_category_if is
  'Deletes a category. Returns deleted, or why it was not: category_not_found, precondition_failed, category_in_use (a pet refers to it), locked.';

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

-- With the owner's rights, like delete_old_usage.
create or replace function delete_old_bans(keep_days integer, at_most integer) returns integer
language plpgsql volatile security definer set search_path = public, pg_temp as $$
declare
  deleted integer;
begin
  delete from api_key_bans as b
  using (
    select api_key_id, began_at
    from api_key_bans
    where ends_at < statement_timestamp() - greatest(keep_days, 31) * interval '1 day'
    limit at_most
    for update skip locked
  ) as old
  where (b.api_key_id, b.began_at) = (old.api_key_id, old.began_at);
  get diagnostics deleted = row_count;
  return deleted;
end
$$;

comment on function delete_old_bans is
  'Deletes some of the bans that ended more than the given number of days ago, but none of the last 31. Returns how many.';

revoke execute on function delete_old_bans(integer, integer) from public;

-- With the owner's rights, like delete_old_usage.
create or replace function delete_old_database_outages(keep_days integer, at_most integer) returns integer
language plpgsql volatile security definer set search_path = public, pg_temp as $$
declare
  deleted integer;
begin
  delete from database_outages as o
  using (
    select replica, began_at
    from database_outages
    where ended_at < statement_timestamp() - greatest(keep_days, 31) * interval '1 day'
    limit at_most
    for update skip locked
  ) as old
  where (o.replica, o.began_at) = (old.replica, old.began_at);
  get diagnostics deleted = row_count;
  return deleted;
end
$$;

comment on function delete_old_database_outages is
  'Deletes some of the outages that ended more than the given number of days ago, but none of the last 31. Returns how many.';

revoke execute on function delete_old_database_outages(integer, integer) from public;

-- With the owner's rights, because the service may delete no usage that callers see. The row that another replica is deleting is left to it.
create or replace function delete_old_usage(keep_days integer, at_most integer) returns integer
language plpgsql volatile security definer set search_path = public, pg_temp as $$
declare
  deleted integer;
begin
  delete from api_key_usage as u
  using (
    select api_key_id, day
    from api_key_usage
    where day < today() - greatest(keep_days, 31)
    limit at_most
    for update skip locked
  ) as old
  where u.api_key_id = old.api_key_id and u.day = old.day;
  get diagnostics deleted = row_count;
  return deleted;
end
$$;

comment on function delete_old_usage is
  'Deletes some of the finished days of usage that are older than the given number of days, but none of the last 31. Returns how many.';

revoke execute on function delete_old_usage(integer, integer) from public;

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

create or replace function delete_pet_if(of_pet bigint, if_match text, if_none_match text) returns text
language plpgsql set search_path = public, pg_temp as $$
begin
  return (select * from delete_pets_if(array[of_pet], array[if_match], array[if_none_match]));
end
$$;

comment on function delete_pet_if is 'Only 1.0.0 uses it. Deletes one pet by delete_pets_if.';

-- In plpgsql each statement has a snapshot of its own: an order that was committed before its pet was locked is visible. It waits for no row
-- itself: the result is 'locked' if another transaction has locked one of them. The triggers of pets run once for all of them.
create or replace function delete_pets_if(ids bigint[], if_match text[], if_none_match text[]) returns setof text
language plpgsql
-- Else it is planned for each number of pets. While a table is small a plan that reads all of it looks cheap, and sessions keep their plans.
set plan_cache_mode = force_generic_plan
set enable_seqscan = off
set search_path = public, pg_temp
as $$
declare
  held bigint[];
  rejections text[];
  accepted bigint[];
  held_orders bigint[];
  kept bigint[];
begin
  held := array(select id from pets where id = any(ids) order by id for update skip locked);
  rejections := array(
    select
      case
        when pet.id is null then 'pet_not_found'
        when not meets_preconditions(pet_json(pet), item.if_match, item.if_none_match) then 'precondition_failed'
        when exists (select from orders where pet_id = pet.id and status in ('placed', 'approved'))
          then 'pet_has_open_order'
        when exists (select from orders where pet_id = pet.id and status = 'delivered') then 'pet_is_sold'
        when pet.id <> all(held) then 'locked'
      end
    from unnest(ids, if_match, if_none_match) with ordinality as item (id, if_match, if_none_match, number)
    left join pets as pet on pet.id = item.id
    order by number);
  accepted := array(select id from unnest(ids, rejections) as decided (id, rejection) where rejection is null);
  held_orders := array(
    select id from orders where pet_id = any(accepted) order by id for update skip locked);
  kept := array(select pet_id from orders where pet_id = any(accepted) and id <> all(held_orders));
  delete from orders where id = any(held_orders) and pet_id <> all(kept);
  delete from pets where id = any(accepted) and id <> all(kept);
  return query
    select coalesce(rejection, case when id = any(kept) then 'locked' else 'deleted' end)
    from unnest(ids, rejections) with ordinality as decided (id, rejection, number)
    order by number;
end
$$;

comment on function delete_pets_if is
  'Deletes pets with their cancelled orders, each at most once. Returns a row for each, in their order: deleted, or why it was not: pet_not_found, precondition_failed, pet_has_open_order, pet_is_sold (it has a delivered order), locked.';

-- With the owner's rights, like delete_old_usage. One hour, because a search for the oldest rows would pass all that were deleted before.
create or replace function delete_usage_hour(of_hour timestamptz, keep_days integer, at_most integer) returns integer
language plpgsql volatile security definer set search_path = public, pg_temp as $$
declare
  deleted integer;
begin
  delete from api_key_usage_hours as u
  using (
    select api_key_id, operation, outcome
    from api_key_usage_hours
    where hour = of_hour
      and hour < today()::timestamp at time zone 'UTC' - greatest(keep_days, 2) * interval '1 day'
    order by api_key_id, operation, outcome
    limit at_most
    for update skip locked
  ) as old
  where u.hour = of_hour
    and (u.api_key_id, u.operation, u.outcome) = (old.api_key_id, old.operation, old.outcome);
  get diagnostics deleted = row_count;
  return deleted;
end
$$;

comment on function delete_usage_hour is
  'Deletes some of the usage of an hour whose day is older than the given number of days, but none of the last two. Returns how many.';

revoke execute on function delete_usage_hour(timestamptz, integer, integer) from public;

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

-- It reads the clock after the row is locked, so that the times of one order never decrease.
create or replace function enforce_order_transition() returns trigger
language plpgsql set search_path = public, pg_temp as $$
begin
  if new.id <> old.id or new.pet_id <> old.pet_id then
    raise exception 'the pet of order % cannot change (it is pet %)', old.id, old.pet_id
      using errcode = 'integrity_constraint_violation', hint = 'Cancel the order and place an order for the other pet.';
  end if;
  if new.status <> old.status then
    if not order_may_become(old.status, new.status) then
      raise exception 'order % is % and cannot become %', old.id, old.status, new.status
        using errcode = 'check_violation', constraint = 'order_may_become',
              hint = 'placed can become approved or cancelled; approved can become delivered or cancelled; delivered and cancelled are final.';
    end if;
    new.updated_at := greatest(clock_timestamp(), old.updated_at);
  end if;
  return new;
end
$$;

comment on function enforce_order_transition is
  'Rejects transitions of an order that the state machine does not have, and sets updated_at.';

create or replace function etag_of(representation text) returns text
language sql immutable parallel safe
return '"' || translate(left(encode(sha256(convert_to(representation, 'UTF8')), 'base64'), 22), '+/', '-_') || '"';

comment on function etag_of is 'The ETag of a representation, as the API returns it.';

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

create or replace function explain_limits() returns trigger
language plpgsql as $$
declare
  wrong text := case when new.requests_per_minute < 1 then 'requests_per_minute' else 'requests_per_day' end;
begin
  raise exception '% is % and must be at least 1', wrong, to_jsonb(new) ->> wrong
    using errcode = 'check_violation', table = tg_table_name, column = wrong, hint = tg_argv[0];
end
$$;

comment on function explain_limits is 'Rejects limits below 1. The argument of the trigger is the hint.';

revoke execute on function explain_limits() from public;

create or replace function explain_plan_numbers() returns trigger
language plpgsql as $$
begin
  if new.custom and num_nonnulls(new.requests_per_minute, new.requests_per_day) > 0 then
    raise exception 'plan "%" is custom and cannot have limits of its own', new.id
      using errcode = 'check_violation',
            hint = 'Set them on its keys: select * from set_api_key_limits(id, per_minute, per_day), '
                   'or petstore keys set-limits. Or set custom = false (--no-custom).';
  end if;
  if not new.custom and num_nulls(new.requests_per_minute, new.requests_per_day) > 0 then
    raise exception 'plan "%" needs both requests_per_minute and requests_per_day', new.id
      using errcode = 'check_violation',
            hint = 'Or set custom = true (--custom), without limits: then each of its keys must have its own.';
  end if;
  if new.requests_per_day < new.requests_per_minute then
    raise warning 'the keys of plan "%" may make % requests a minute, but only % a day', new.id, new.requests_per_minute, new.requests_per_day;
  end if;
  return new;
end
$$;

comment on function explain_plan_numbers is 'Rejects a custom plan that has limits, and another plan that has none.';

revoke execute on function explain_plan_numbers() from public;

create or replace function explain_plan_values() returns trigger
language plpgsql as $$
begin
  if new.id !~ '^[a-z][a-z0-9_-]{0,62}$' then
    raise exception 'invalid plan id "%"', new.id using
      errcode = 'check_violation', table = 'plans', column = 'id',
      hint = 'An id has 1 to 63 lower-case letters, digits, _ and -, and begins with a letter.';
  end if;
  return new;
end
$$;

comment on function explain_plan_values is
  'Rejects an id of a plan that a constraint would reject, with a message and a hint.';

revoke execute on function explain_plan_values() from public;

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
  if chosen.custom and (new.requests_per_minute is null or new.requests_per_day is null) then
    raise exception 'plan "%" is custom, so its keys need both limits, but "%" does not have them', chosen.id, new.name
      using errcode = 'check_violation',
            hint = 'Set requests_per_minute and requests_per_day '
                   '(per_minute and per_day of a function, --per-minute and --per-day of a command).';
  end if;
  if public.day_limit(new, chosen) < public.minute_limit(new, chosen) then
    raise warning 'key "%" may make % requests a minute, but only % a day', new.name, public.minute_limit(new, chosen), public.day_limit(new, chosen);
  end if;
  new.plan_custom := chosen.custom;
  return new;
end
$$;

comment on function follow_plan is
  'Sets plan_custom from the plan, whatever the statement says, so that a change of plan need not name it.';

revoke execute on function follow_plan() from public;

-- In plpgsql each call has a snapshot of its own.
create or replace function has_open_order(of_pet bigint) returns boolean
language plpgsql set search_path = public, pg_temp as $$
begin
  return exists (select from orders where pet_id = of_pet and status in ('placed', 'approved'));
end
$$;

comment on function has_open_order is 'Whether a pet has an order that is placed or approved.';

-- A branch for each index. In plpgsql each call has a snapshot of its own.
create or replace function has_pets(of_category bigint) returns boolean
language plpgsql volatile set search_path = public, pg_temp as $$
begin
  return exists (select from pets where category_id = of_category and status is not null)
    or exists (select from pets where category_id = of_category and status is null);
end
$$;

comment on function has_pets is 'Whether a pet refers to a category.';

create or replace function is_admitted(outcome text) returns boolean
language sql immutable parallel safe
return outcome in ('success', 'client_error', 'server_error');

comment on function is_admitted is 'Whether the requests of an outcome were admitted, and so are counted by the limits.';

comment on function is_instant is 'Whether a time has a year of four digits, as RFC 3339 wants it. Neither infinity is one.';

create or replace function keep_ordered_pet_pending() returns trigger
language plpgsql set search_path = public, pg_temp as $$
declare
  open_order orders;
begin
  select * into open_order from orders where pet_id = new.id and status in ('placed', 'approved');
  if found then
    raise exception 'pet % must stay pending, because its order % is %', new.id, open_order.id, open_order.status
      using errcode = 'integrity_constraint_violation',
            hint = 'Update the status of the order to delivered or cancelled; triggers then update the pet.';
  end if;
  return null;
end
$$;

comment on function keep_ordered_pet_pending is 'A pet stays pending while its order is open.';

create or replace function keep_orders_of_pet() returns trigger
language plpgsql set search_path = public, pg_temp as $$
begin
  if exists (select from pets where id = old.pet_id) then
    raise exception 'order % is % and cannot be deleted while pet % exists', old.id, old.status, old.pet_id
      using errcode = 'integrity_constraint_violation',
            hint = 'Cancel an open order. To delete a pet, delete its orders and then the pet in one transaction.';
  end if;
  return null;
end
$$;

comment on function keep_orders_of_pet is 'An order that is not cancelled cannot be deleted before its pet.';

create or replace function keep_orders_of_pets() returns trigger
language plpgsql set search_path = public, pg_temp as $$
begin
  if exists (select from pets) then
    raise exception 'orders cannot be truncated while there are pets'
      using errcode = 'integrity_constraint_violation', hint = 'Truncate both: truncate pets, orders.';
  end if;
  return null;
end
$$;

comment on function keep_orders_of_pets is 'Orders cannot be truncated while there are pets.';

-- An update without its where clause is the worst mistake of an operator. The owner, who restores, is not limited.
create or replace function limit_changes() returns trigger
language plpgsql set search_path = public, pg_temp as $$
declare
  changes_max constant integer := coalesce(nullif(current_setting('petstore.changes_max', true), '')::integer, 100);
  owner constant oid := (select relowner from pg_class where oid = 'plans'::regclass);
  changes bigint;
begin
  if to_regrole('petstore_operator') is null
    or not pg_has_role(session_user, 'petstore_operator', 'member')
    or pg_has_role(session_user, owner, 'member')
  then
    return null;
  end if;
  if tg_table_name = 'api_keys' then
    -- A plan that becomes custom, or is so no more, changes plan_custom of its keys by the foreign key.
    changes := (
      select count(*) from old_rows o join new_rows n using (id)
      where (o.plan_id, o.plan_custom) = (n.plan_id, n.plan_custom) or o.plan_id <> n.plan_id);
  else
    changes := (select count(*) from new_rows);
  end if;
  if changes > changes_max then
    raise exception 'the statement changes % rows of %, more than petstore.changes_max (%)', changes, tg_table_name, changes_max
      using errcode = 'restrict_violation',
            hint = format('Look at its where clause. If all of them are meant, repeat it after: set petstore.changes_max = %s;', changes);
  end if;
  if tg_table_name = 'api_keys' and changes > 1 then
    if exists (
      select from old_rows join new_rows using (id) where old_rows.revoked_at is not null and new_rows.revoked_at is null)
    then
      raise exception 'the statement revives revoked keys, which takes a statement for each'
        using errcode = 'restrict_violation', column = 'revoked_at', hint = 'Add to its where clause: id = ….';
    end if;
  end if;
  return null;
end
$$;

comment on function limit_changes is
  'Rejects a statement of an operator that changes more than petstore.changes_max (100) keys, secrets or plans, or revives several revoked keys.';

revoke execute on function limit_changes() from public;

-- Admission then only updates and never races to insert. It has the owner's rights, because operators insert keys but may not write counters.
create or replace function make_api_key_counters() returns trigger
language plpgsql security definer set search_path = public, pg_temp as $$
begin
  insert into api_key_counters (api_key_id) select id from made on conflict (api_key_id) do nothing;
  return null;
end
$$;

comment on function make_api_key_counters is 'Adds the row of api_key_counters of each new key.';

revoke execute on function make_api_key_counters() from public;

-- A condition is null, or tags with commas between: those of the service contain none. Either may also be '*', any representation.
create or replace function meets_preconditions(representation text, if_match text, if_none_match text) returns boolean
language sql immutable parallel safe
return (if_match is null or if_match = '*' or etag_of(representation) = any (string_to_array(if_match, ',')))
  and (if_none_match is null
    or (if_none_match <> '*' and etag_of(representation) <> all (string_to_array(if_none_match, ','))));

comment on function meets_preconditions is
  'Whether a representation has one of the tags of If-Match and none of If-None-Match (RFC 9110 section 13.2.2).';

create or replace function minute_limit(key api_keys, plan plans) returns integer
language sql stable parallel safe
return coalesce(key.requests_per_minute, plan.requests_per_minute);

comment on function minute_limit is 'The limit per minute in force: the key''s own, or its plan''s.';

-- prisma/roles.sql and deploy/postgres/roles.sh set these. The list of functions is that of prisma/roles.sql, which also runs before there
-- are functions.
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
  select format('every role may call functions that use up memory or disk of the whole server, such as %s', min(oid::regprocedure::text))
  from pg_proc
  where pronamespace = 'pg_catalog'::regnamespace
    and (proname ~ '^pg_(try_)?advisory_' or proname in ('pg_logical_emit_message', 'lo_create', 'lo_creat', 'lo_from_bytea'))
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
  'The missing protections of the server against a role that uses up its connections, memory or disk: a sentence each.';

-- Numbers that are skipped are never looked at again, because a sequence is not rolled back, also where the statement runs out of its time.
-- After 64 used ones the steps double, up to 65,536: a million in sequence take some ninety look-ups. setval could set the sequence back.
create or replace function new_category() returns categories
language plpgsql volatile set search_path = public, pg_temp as $$
declare
  next_id bigint;
  step bigint := 0;
  tries int := 0;
begin
  loop
    next_id := nextval('categories_id_seq');
    exit when not exists (select from categories where id = next_id) and not has_pets(next_id);
    tries := tries + 1;
    continue when tries < 64;
    step := least(greatest(64, 2 * step), 65536);
    perform nextval('categories_id_seq') from generate_series(1, step);
  end loop;
  return row(next_id, null)::categories;
end
$$;

comment on function new_category is 'A category with a number that neither a category nor a pet uses.';

create or replace function new_order() returns orders
language sql volatile
return row(nextval('orders_id_seq'), null, 'placed', now(), now())::orders;

comment on function new_order() is 'An order with the defaults of its columns and the next id.';

create or replace function new_pet() returns pets
language sql volatile
return row(nextval('pets_id_seq'), null, null, null, now())::pets;

comment on function new_pet() is 'A pet with the defaults of its columns and the next id. The members of a request replace nulls.';

-- 64 ids: as many as two statements take.
create or replace function next_ids_are_used(of_table text, after bigint) returns boolean
language plpgsql stable set search_path = public, pg_temp as $$
declare
  found_one boolean;
begin
  execute format('select exists (select from %I where id > $1 and id <= $1 + 64)', of_table) into found_one using after;
  return found_one;
end
$$;

comment on function next_ids_are_used is 'Whether a table has one of the 64 ids after the given one.';

-- Instants are in UTC with milliseconds, which are cut and not rounded, as JavaScript's are.
create or replace function order_json("order" orders) returns text
language sql stable parallel safe
return '{"id":' || "order".id || ',"petId":' || "order".pet_id || ',"status":"' || "order".status
  || '","placedAt":"' || to_char("order".placed_at at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"')
  || '","updatedAt":"' || to_char("order".updated_at at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"') || '"}';

comment on function order_json(orders) is 'An order as the API returns it.';

create or replace function order_may_become(present order_status, wanted order_status) returns boolean
language sql immutable parallel safe
return (present, wanted) in (
  ('placed', 'approved'), ('approved', 'delivered'),
  ('placed', 'cancelled'), ('approved', 'cancelled'));

comment on function order_may_become is 'The transitions of an order: whether the first status can become the second.';

create or replace function pet_inventory(out available bigint, out pending bigint, out sold bigint)
language plpgsql stable
set enable_seqscan = off
set enable_bitmapscan = off
set search_path = public, pg_temp
as $$
begin
  select coalesce(sum(newest.available), 0), coalesce(sum(newest.pending), 0), coalesce(sum(newest.sold), 0)
  into available, pending, sold
  from generate_series(0, (select slot from pet_counts order by slot desc, version desc limit 1)) as every (slot)
  cross join lateral (
    select * from pet_counts as part where part.slot = every.slot order by part.version desc limit 1) as newest;
end
$$;

comment on function pet_inventory is
  'The exact number of pets by status, from a few index look-ups: select * from pet_inventory().';

-- Lists, records and responses to writes share it, so that one representation has one ETag. to_json escapes a name as JSON.stringify does.
create or replace function pet_json(pet pets) returns text
language sql stable parallel safe
return '{"id":' || pet.id || ',"name":' || to_json(pet.name) || ',"categoryId":' || pet.category_id
  || coalesce(',"status":"' || pet.status || '"', '') || '}';

comment on function pet_json(pets) is 'A pet as the API returns it.';

-- Not now(), which stands still in an open transaction.
create or replace function present() returns timestamptz
language sql stable parallel safe
return statement_timestamp();

comment on function present is 'The time at which views show keys, limits and bans: that of the statement, by the clock of the database.';

-- It waits for a moment at most: the outcome is 'locked' if another transaction has locked the category, or is giving its number or the name
-- away.
create or replace function put_category_if(of_id bigint, new_name text, if_match text, if_none_match text) returns table (outcome text, representation text)
language plpgsql volatile set search_path = public, pg_temp set lock_timeout = '5ms' as $$
declare
  category categories;
  is_held boolean;
  violated text;
begin
  select * into category from categories where id = of_id for no key update skip locked;
  is_held := found;
  if not is_held then
    select * into category from categories where id = of_id;
  end if;
  outcome := case
    when category.id is null and if_match is not null then 'precondition_failed'
    when category.id is not null and not meets_preconditions(category_json(category), if_match, if_none_match) then 'precondition_failed'
    when category.name = new_name then 'unchanged'
    when category.id is null then 'created'
    when is_held then 'changed'
    else 'locked'
  end;
  begin
    if outcome = 'created' then
      insert into categories values (of_id, new_name);
    elsif outcome = 'changed' then
      update categories set name = new_name where id = of_id;
    end if;
  exception
    when lock_not_available then outcome := 'locked';
    when unique_violation then
      get stacked diagnostics violated = constraint_name;
      outcome := case violated when 'categories_name_key' then 'category_exists' else 'locked' end;
  end;
  representation := category_json(row(of_id, new_name)::categories);
  return next;
end
$$;

comment on function put_category_if is
  'Gives a number a name. The outcome is created, changed, unchanged, or why it was not: precondition_failed, category_exists (another has the name), locked.';

-- PostgreSQL draws the bytes of version 4 UUIDs from its strong random source.
create or replace function random_base62(length integer) returns text
language plpgsql volatile strict parallel restricted as $$
declare
  digits constant text := '0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz';
  result text := '';
  bytes bytea;
  byte integer;
begin
  while char_length(result) < length loop
    bytes := uuid_send(gen_random_uuid());
    for position in 0..15 loop
      continue when position in (6, 8);   -- these hold the UUID's version and variant, not only random bits
      byte := get_byte(bytes, position);
      continue when byte >= 248;          -- 4 × 62: the rest would make the first eight digits likelier
      result := result || substr(digits, byte % 62 + 1, 1);
    end loop;
  end loop;
  return left(result, length);
end
$$;

comment on function random_base62 is 'Random base62 text.';

revoke execute on function random_base62(integer) from public;

create or replace function reject_change() returns trigger
language plpgsql as $$
begin
  raise exception '%', tg_argv[0] using errcode = 'restrict_violation', hint = tg_argv[1];
end
$$;

comment on function reject_change is 'Rejects a change. The arguments of the trigger are the message and the hint.';

revoke execute on function reject_change() from public;

create or replace function reject_deleting_used_plan() returns trigger
language plpgsql as $$
declare
  keys constant bigint := (select count(*) from public.api_keys where plan_id = old.id);
begin
  if keys > 0 then
    raise exception 'plan "%" has keys (%): %', old.id, keys, (
      select string_agg(id || ' (' || name || ')', ', ' order by id) || case when keys > 5 then ', …' else '' end
      from (select id, name from public.api_keys where plan_id = old.id order by id limit 5) as listed)
      using errcode = 'foreign_key_violation',
            hint = 'Move each of them first, also revoked ones: select * from set_api_key_plan(id, plan), or petstore keys set-plan.';
  end if;
  return old;
end
$$;

comment on function reject_deleting_used_plan is 'A plan that has keys cannot be deleted.';

revoke execute on function reject_deleting_used_plan() from public;

create or replace function reject_later_revocation() returns trigger
language plpgsql as $$
begin
  raise exception 'revoked_at (%) is in the future, but a key is revoked at once', new.revoked_at
    using errcode = 'check_violation', table = 'api_keys', column = 'revoked_at',
          hint = format('To end key %s later: select * from set_api_key_expiry(%s, expires => %L).', new.id, new.id, new.revoked_at);
end
$$;

comment on function reject_later_revocation is
  'A key is revoked as soon as it has a time of revocation, so that must not be in the future.';

revoke execute on function reject_later_revocation() from public;

-- "select (issue_api_key(…)).*" calls the function once for each column, so a second secret for a key fails. The setting contains a mark
-- for each secret that the present statement has added.
create or replace function reject_second_secret(of_key text, called text) returns void
language plpgsql volatile set search_path = public, pg_temp as $$
declare
  mark constant text := md5(of_key) || ',';
  marks text := coalesce(current_setting('petstore.secrets_added', true), '');
begin
  if not starts_with(marks, statement_timestamp()::text) then
    marks := statement_timestamp()::text || ',';
  elsif strpos(marks, mark) > 0 then
    raise exception 'a second secret for % in one statement', of_key
      using errcode = 'cardinality_violation',
            hint = format(
              'Call the function once, after from: select * from %s_api_key(…). For several of them run several statements.', called);
  end if;
  perform set_config('petstore.secrets_added', marks || mark, true);
end
$$;

comment on function reject_second_secret is 'Raises an error if a statement issues or rotates the same key a second time.';

revoke execute on function reject_second_secret(text, text) from public;

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
  perform from pets where id = any(sold_ids || available_ids) order by id for no key update;
  update pets set status = 'sold' where id = any(sold_ids);
  update pets set status = 'available' where id = any(available_ids);
  return null;
end
$$;

comment on function release_ordered_pets is 'Updates the pets of delivered and cancelled orders.';

-- It locks the pets in order of their ids, as every statement does. The ids are in an array: with a subquery the planner would scan the
-- whole table for a large batch.
create or replace function reserve_ordered_pets() returns trigger
language plpgsql set search_path = public, pg_temp as $$
declare
  stray orders;
  ordered_ids bigint[];
  gone_id bigint;
begin
  select * into stray from new_orders where status <> 'placed' limit 1;
  if found then
    raise exception 'new order % for pet % has status %, but must be placed', stray.id, stray.pet_id, stray.status
      using errcode = 'check_violation', hint = 'Insert the order as placed, then update its status one transition at a time.';
  end if;
  ordered_ids := array(select pet_id from new_orders);
  select min(id) filter (where status is null or status = 'sold')
  into gone_id
  from (select id, status from pets where id = any(ordered_ids) order by id for no key update) as locked;
  if gone_id is not null then
    raise exception 'pet % is not available', gone_id
      using errcode = 'check_violation', hint = 'Only available pets can be ordered. Update the status in pets first.';
  end if;
  -- This also writes pets that were pending without an order, so that a transaction with an older snapshot, which cannot see
  -- the order, fails when it changes the pet.
  update pets set status = 'pending' where id = any(ordered_ids);
  return null;
end
$$;

comment on function reserve_ordered_pets is 'Moves the pets of new orders from available to pending.';

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
      'pet_json, order_json, category_json, new_pet, new_order, new_category, pet_inventory, etag_of, meets_preconditions, has_open_order, delete_pet_if, delete_pets_if, '
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

create or replace function this_hour() returns timestamptz
language sql stable parallel safe
return date_trunc('hour', present(), 'UTC');

comment on function this_hour is 'When the present UTC hour began.';

create or replace function today() returns date
language sql stable parallel safe
return (present() at time zone 'UTC')::date;

comment on function today is 'The present UTC day.';

create or replace function trusted_until() returns timestamptz
language sql stable parallel safe
return present() + clock_tolerance();

comment on function trusted_until is 'Counters after this time are those of another clock, and are ignored.';

create or replace function busiest_api_keys_since(first_hour timestamptz)
returns table (
  api_key_id bigint, name text, plan_id text, requests bigint,
  success bigint, client_error bigint, server_error bigint, limited bigint, banned bigint, unauthorized bigint,
  mean_ms numeric, last_hour timestamptz, undecided bigint)
language sql stable rows 100 set search_path = public, pg_temp as $$
  with bounds as materialized (
    select
      case
        when first_hour is not null
        then date_trunc('hour', greatest(first_hour, (select min(hour) from api_key_usage_hours)), 'UTC')
      end as from_hour,
      trusted_until() as to_hour
  )
  select
    busiest.api_key_id, k.name, k.plan_id, busiest.requests,
    by_outcome.success, by_outcome.client_error, by_outcome.server_error,
    by_outcome.limited, by_outcome.banned, by_outcome.unauthorized,
    by_outcome.mean_ms, by_outcome.last_hour, by_outcome.undecided
  from (
    select u.api_key_id, saturated(sum(u.requests)) as requests
    from api_key_usage_hours u
    where u.hour between (select from_hour from bounds) and (select to_hour from bounds)
    group by u.api_key_id
    order by requests desc, u.api_key_id
    limit 100
  ) as busiest
  cross join lateral (
    select
      coalesce(saturated(sum(u.requests) filter (where outcome = 'success')), 0) as success,
      coalesce(saturated(sum(u.requests) filter (where outcome = 'client_error')), 0) as client_error,
      coalesce(saturated(sum(u.requests) filter (where outcome = 'server_error')), 0) as server_error,
      coalesce(saturated(sum(u.requests) filter (where outcome = 'limited')), 0) as limited,
      coalesce(saturated(sum(u.requests) filter (where outcome = 'banned')), 0) as banned,
      coalesce(saturated(sum(u.requests) filter (where outcome = 'unauthorized')), 0) as unauthorized,
      coalesce(saturated(sum(u.requests) filter (where outcome = 'undecided')), 0) as undecided,
      round(sum(u.total_ms) / nullif(sum(u.requests), 0), 1) as mean_ms,
      max(u.hour) as last_hour
    from bounds
    cross join generate_series(from_hour, to_hour, interval '1 hour') as of_hour
    join api_key_usage_hours u on u.hour = of_hour
    where u.api_key_id = busiest.api_key_id
  ) as by_outcome
  left join api_keys k on k.id = busiest.api_key_id
  order by busiest.requests desc, busiest.api_key_id
$$;

comment on function busiest_api_keys_since is
  'The hundred keys with the most requests since an hour, rejected ones included, as in busiest_api_keys: select * from busiest_api_keys_since(this_hour() - interval ''7 days'').';

revoke execute on function busiest_api_keys_since(timestamptz) from public;

create or replace function issue_api_key(
  name text,
  plan text,
  per_minute integer default null,
  per_day integer default null,
  expires timestamptz default null)
returns issued_api_key
language plpgsql volatile security definer set search_path = public, pg_temp as $$
begin
  perform reject_second_secret(quote_ident(name), 'issue');
  return (select issued from issue_api_keys(array[name], plan, per_minute, per_day, expires) as issued);
end
$$;

comment on function issue_api_key is
  'Issues a key and returns it, once: select * from issue_api_key(name => ''Acme web'', plan => ''pro'').';

revoke execute on function issue_api_key(text, text, integer, integer, timestamptz) from public;

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
  perform reject_second_secret(concat_ws(' of ', quote_ident(name), quote_ident(customer)), 'issue_customer');
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
      and u.day <= (trusted_until() at time zone 'UTC')::date
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

create or replace view busiest_api_keys as
select * from busiest_api_keys_since(this_hour() - interval '23 hours');

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
comment on column busiest_api_keys.undecided is 'Rejected because the database was away, or too many requests waited (503).';

-- The index is read from one key to the next, as PostgreSQL does not by itself, and each look-up finds the newest hour first.
create or replace view deprecated_operation_callers as
select called.operation, called.api_key_id, k.name, k.plan_id, called.last_hour, coalesce(counted.requests_24h, 0) as requests_24h
from (
  with recursive caller as (
    select d.operation, first.api_key_id
    from deprecated_operations d
    cross join lateral (
      select u.api_key_id from api_key_usage_hours u where u.operation = d.operation order by u.api_key_id limit 1
    ) as first
    union all
    select caller.operation, next.api_key_id
    from caller
    cross join lateral (
      select u.api_key_id
      from api_key_usage_hours u
      where u.operation = caller.operation and u.api_key_id > caller.api_key_id
      order by u.api_key_id
      limit 1
    ) as next
  )
  select caller.operation, caller.api_key_id, last.hour::timestamptz as last_hour
  from caller
  cross join lateral (
    select u.hour
    from api_key_usage_hours u
    where u.operation = caller.operation
      and u.api_key_id = caller.api_key_id
      and u.hour <= trusted_until()
      and is_admitted(u.outcome)
    order by u.hour desc
    limit 1
  ) as last
) as called
left join (
  select u.operation, u.api_key_id, saturated(sum(u.requests)) as requests_24h
  from api_key_usage_hours u
  where u.hour >= this_hour() - interval '23 hours'
    and u.hour <= this_hour()
    and u.operation in (select operation from deprecated_operations)
    and is_admitted(u.outcome)
  group by u.operation, u.api_key_id
) as counted on counted.operation = called.operation and counted.api_key_id = called.api_key_id
left join api_keys k on k.id = called.api_key_id
order by called.last_hour desc, called.api_key_id;

comment on view deprecated_operation_callers is
  'Every key that called a deprecated operation in the hours that are kept (35 days by default), the last one first. Calls that were rejected by admission do not count.';
comment on column deprecated_operation_callers.operation is 'The operationId of the deprecated operation.';
comment on column deprecated_operation_callers.last_hour is 'The last hour in which the key called it.';
comment on column deprecated_operation_callers.requests_24h is 'Its requests of the last 24 hours.';

create or replace view expiring_api_keys as
select e.*
from (
  select k.id as api_key_id, k.name, k.plan_id, 'key' as expires, null as prefix, k.expires_at, true as ends_key
  from api_keys k
  where k.expires_at > present()
    and isfinite(k.expires_at)
    and k.revoked_at is null
  union all
  select
    k.id, k.name, k.plan_id, 'secret', s.prefix, s.expires_at,
    not exists (
      select from api_key_secrets other
      where other.api_key_id = s.api_key_id
        and (other.expires_at is null or other.expires_at > s.expires_at))
  from api_key_secrets s
  join api_keys k on k.id = s.api_key_id
  where s.expires_at > present()
    and isfinite(s.expires_at)
    and k.revoked_at is null
    and (k.expires_at is null or k.expires_at > s.expires_at)
) as e
order by e.expires_at;

comment on view expiring_api_keys is
  'Keys and secrets that will expire, the next first. Filter with: where expires_at < now() + interval ''14 days''.';
comment on column expiring_api_keys.expires is 'key: the whole key expires; secret: only the secret with this prefix expires.';
comment on column expiring_api_keys.ends_key is 'Whether the key stops working completely then.';
comment on column expiring_api_keys.prefix is 'The first 12 characters of the secret that expires; null for a key.';
comment on column expiring_api_keys.expires_at is 'When the key or the secret stops working.';

-- Everything in it but `since` is visible to every role. A vacuum has a snapshot that holds nothing back, what the server does by itself
-- has no role, and a parallel worker has the snapshot of its leader (which the service, to whom leader_pid is not visible, may see twice).
create or replace view open_snapshots as
select kind, name, role, program, since, snapshot.transactions, snapshot.xid, virtualxid, remedy
from (
  select
    case when datid is null then 'standby' else 'session' end as kind,
    a.pid::text as name,
    usename as role,
    application_name as program,
    xact_start as since,
    array[backend_xid, backend_xmin] as xids,
    own.virtualxid,
    case when datid is null then 'end the oldest transaction on the standby'
      else format('select pg_terminate_backend(%s)', a.pid) end as remedy
  from pg_stat_activity a
  left join (
    select l.pid, l.virtualxid from pg_locks l where l.locktype = 'virtualxid' and l.mode = 'ExclusiveLock'
  ) as own on own.pid = a.pid
  where (datname = current_database() or datid is null)
    and usesysid is not null
    and a.pid <> pg_backend_pid()
    and a.pid not in (select pid from pg_stat_progress_vacuum)
    and leader_pid is null
  union all
  select
    'slot', slot_name, null, plugin, null, array[xmin], null,
    case
      when not active then format('select pg_drop_replication_slot(%L)', slot_name)
      when slot_type = 'physical' then 'end the oldest transaction on the standby'
      else format('select pg_terminate_backend(%s)', active_pid)
    end
  from pg_replication_slots
  union all
  select 'prepared transaction', gid, owner, null, prepared, array[transaction], null, format('rollback prepared %L', gid)
  from pg_prepared_xacts
  where database = current_database()
) as holder
cross join lateral (
  select xid, age(xid) as transactions
  from unnest(xids) as xid
  where xid is not null
  order by age(xid) desc
  limit 1
) as snapshot;

comment on view open_snapshots is
  'Who keeps the server from removing old versions of rows, so that everything becomes slower. Filter with: where transactions >= 1000.';
comment on column open_snapshots.kind is
  'session, standby (with hot_standby_feedback), slot (of replication), or prepared transaction.';
comment on column open_snapshots.name is 'The pid of a session or standby, the name of a slot, the id of a prepared transaction.';
comment on column open_snapshots.role is 'Whose session or prepared transaction it is.';
comment on column open_snapshots.program is 'The application_name of a session or standby, the plugin of a slot.';
comment on column open_snapshots.since is
  'When its transaction began; null for a standby, a slot, and sessions of others whose times the role that asks may not see (pg_read_all_stats).';
comment on column open_snapshots.transactions is 'How many transactions have begun since. An old snapshot does no harm while nothing is written.';
comment on column open_snapshots.xid is 'The oldest transaction that it keeps, which may be one that another session has open.';
comment on column open_snapshots.virtualxid is 'The transaction of a session: as long as it is the same, that has not ended.';
comment on column open_snapshots.remedy is 'What ends it: SQL, for the role of the session or a superuser, or a sentence.';

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
  exact.refused - hours.refused as refused_missing,
  outages.without_database
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
cross join lateral (
  select string_agg(to_char(began, 'HH24:MI:SS') || ' to ' || to_char(ended, 'HH24:MI:SS, ') || replica, '; ' order by began) as without_database
  from (
    select
      greatest(began_at at time zone 'UTC', of_day.day) as began,
      least(ended_at at time zone 'UTC', of_day.day + time '23:59:59') as ended,
      replica
    from database_outages
    where ended_at >= of_day.day::timestamp at time zone 'UTC'
      and began_at < (of_day.day + 1)::timestamp at time zone 'UTC'
      and ended_at <= trusted_until()
    order by began_at
    limit 100
  ) as of_replica
) as outages
order by of_day.day;

comment on view usage_hours_gaps is
  'How many of the admitted and rejected (refused) requests of a day the hours lack: those of the last 10 s, of a replica that was killed, and of replicas of 1.0.0-rc.1. And when replicas had no database (UTC). Filter with: where day = today().';
comment on column usage_hours_gaps.day is 'The UTC day.';
comment on column usage_hours_gaps.admitted is 'Requests that admission admitted in the day.';
comment on column usage_hours_gaps.admitted_missing is 'How many of them the hours lack.';
comment on column usage_hours_gaps.refused is 'Requests that admission rejected in the day.';
comment on column usage_hours_gaps.refused_missing is 'How many of them the hours lack.';
comment on column usage_hours_gaps.without_database is
  'From when to when (UTC) which replica had no database, at most a hundred times of a day. A replica that was killed meanwhile is missing.';

create or replace trigger api_key_secrets_audit_insert after insert on api_key_secrets
  referencing new table as new_rows for each statement execute function audit_changes();

create or replace trigger api_key_secrets_audit_update after update on api_key_secrets
  referencing old table as old_rows new table as new_rows for each statement execute function audit_changes();

create or replace trigger api_key_secrets_explain_times
  before update of expires_at on api_key_secrets
  for each row when (isfinite(new.expires_at) and not is_instant(new.expires_at))
  execute function reject_change(
    'expires_at needs a year of four digits', 'For a secret without an end: null.');

create or replace trigger api_key_secrets_keep_identity
  before update of hash, api_key_id, prefix, created_at on api_key_secrets
  for each row when (
    (old.hash, old.api_key_id, old.prefix, old.created_at)
      is distinct from (new.hash, new.api_key_id, new.prefix, new.created_at))
  execute function reject_change(
    'only expires_at of a secret can change', 'To add a secret: select * from rotate_api_key(id).');

create or replace trigger api_key_secrets_limit_changes after update on api_key_secrets
  referencing old table as old_rows new table as new_rows for each statement execute function limit_changes();

create or replace trigger api_key_secrets_not_deleted
  before delete or truncate on api_key_secrets
  for each statement execute function reject_change(
    'secrets cannot be deleted', 'Let the secret expire instead: update api_key_secrets set expires_at = now() where ….');

-- An expired secret may have been found in an old place. Not statement_timestamp(): another operator may end the secret while this
-- statement waits for its row.
create or replace trigger api_key_secrets_not_revived
  before update of expires_at on api_key_secrets
  for each row when (
    old.expires_at <= clock_timestamp() and coalesce(new.expires_at, 'infinity') > old.expires_at)
  execute function reject_change(
    'an expired secret cannot be prolonged', 'To add one: select * from rotate_api_key(id), or petstore keys rotate ID.');

create or replace trigger api_key_usage_hours_only_grow
  before update on api_key_usage_hours
  for each row when (
    (old.hour, old.api_key_id, old.operation, old.outcome) is distinct from (new.hour, new.api_key_id, new.operation, new.outcome)
    or new.requests < least(old.requests, count_max()) or new.total_ms < least(old.total_ms, count_max()))
  execute function reject_change(
    'counts of usage can only grow', 'The owner can disable this trigger to correct them.');

-- Only 1.0.0 updates these rows itself, so the service's role may do so.
create or replace trigger api_key_usage_only_grows
  before update on api_key_usage
  for each row when (
    (old.api_key_id, old.day) is distinct from (new.api_key_id, new.day) or new.admitted < least(old.admitted, count_max()) or new.refused < least(old.refused, count_max()))
  execute function reject_change(
    'counts of usage can only grow', 'The owner can disable this trigger to correct them.');

create or replace trigger api_keys_audit_insert after insert on api_keys
  referencing new table as new_rows for each statement execute function audit_changes();

create or replace trigger api_keys_audit_update after update on api_keys
  referencing old table as old_rows new table as new_rows for each statement execute function audit_changes();

create or replace trigger api_keys_explain_limits
  before insert or update of requests_per_minute, requests_per_day on api_keys
  for each row when (new.requests_per_minute < 1 or new.requests_per_day < 1)
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
    'For a suspension or a key without an end: infinity.');

create or replace trigger api_keys_explain_values
  before insert or update of name, plan_id, customer on api_keys
  for each row execute function explain_key_values();

create or replace trigger api_keys_follow_plan
  before insert or update of plan_id, plan_custom, requests_per_minute, requests_per_day on api_keys
  for each row execute function follow_plan();

create or replace trigger api_keys_keep_identity
  before update of id, created_at on api_keys
  for each row when ((old.id, old.created_at) is distinct from (new.id, new.created_at))
  execute function reject_change(
    'id and created_at of a key cannot change', 'Issue another key: select * from issue_api_key(…).');

create or replace trigger api_keys_limit_changes after update on api_keys
  referencing old table as old_rows new table as new_rows for each statement execute function limit_changes();

create or replace trigger api_keys_make_counters
  after insert on api_keys
  referencing new table as made
  for each statement execute function make_api_key_counters();

create or replace trigger api_keys_not_deleted
  before delete or truncate on api_keys
  for each statement execute function reject_change(
    'keys cannot be deleted', 'Revoke the key instead: select * from revoke_api_key(id).');

-- A clock may be a minute ahead.
create or replace trigger api_keys_not_revoked_later
  before insert or update of revoked_at on api_keys
  for each row when (new.revoked_at > statement_timestamp() + interval '1 minute')
  execute function reject_later_revocation();

create or replace trigger audit_log_only_added_to
  before update or delete or truncate on audit_log
  for each statement execute function reject_change(
    'the audit log is append-only', 'The owner can disable this trigger to delete old entries.');

-- A constraint trigger cannot be replaced. Checked at the end of the transaction, which may delete the orders first and the pet afterwards.
drop trigger if exists orders_keep_while_pet on orders;
create constraint trigger orders_keep_while_pet
  after delete on orders
  deferrable initially deferred
  for each row when (old.status <> 'cancelled')
  execute function keep_orders_of_pet();

create or replace trigger orders_keep_while_pets
  after truncate on orders
  for each statement execute function keep_orders_of_pets();

create or replace trigger orders_release_pets
  after update on orders
  referencing old table as old_orders new table as new_orders
  for each statement execute function release_ordered_pets();

create or replace trigger orders_reserve_pets
  after insert on orders
  referencing new table as new_orders
  for each statement execute function reserve_ordered_pets();

create or replace trigger orders_take_step
  before update on orders
  for each row execute function enforce_order_transition();

create or replace trigger pets_count_deleted
  after delete on pets
  referencing old table as old_pets
  for each statement execute function count_pets();

create or replace trigger pets_count_inserted
  after insert on pets
  referencing new table as new_pets
  for each statement execute function count_pets();

create or replace trigger pets_count_truncated
  after truncate on pets
  for each statement execute function count_no_pets();

create or replace trigger pets_count_updated
  after update on pets
  referencing old table as old_pets new table as new_pets
  for each statement execute function count_pets();

create or replace trigger pets_keep_ordered_pending
  after update on pets
  for each row when (old.status = 'pending' and new.status is distinct from 'pending')
  execute function keep_ordered_pet_pending();

create or replace trigger plans_audit_delete after delete on plans
  referencing old table as old_rows for each statement execute function audit_changes();

create or replace trigger plans_audit_insert after insert on plans
  referencing new table as new_rows for each statement execute function audit_changes();

create or replace trigger plans_audit_update after update on plans
  referencing old table as old_rows new table as new_rows for each statement execute function audit_changes();

create or replace trigger plans_explain_limits
  before insert or update of requests_per_minute, requests_per_day on plans
  for each row when (new.requests_per_minute < 1 or new.requests_per_day < 1)
  execute function explain_limits(
    'To stop the keys of a plan, suspend them: select suspend_api_key(id) from api_keys where plan_id = ….');

create or replace trigger plans_explain_numbers
  before insert or update on plans
  for each row execute function explain_plan_numbers();

create or replace trigger plans_explain_values
  before insert or update of id on plans
  for each row execute function explain_plan_values();

create or replace trigger plans_keep_identity
  before update of id on plans
  for each row when (old.id is distinct from new.id)
  execute function reject_change(
    'the id of a plan cannot change',
    'Create another plan: select * from create_plan(…). Then move each key: select * from set_api_key_plan(id, plan).');

create or replace trigger plans_limit_changes after update on plans
  referencing old table as old_rows new table as new_rows for each statement execute function limit_changes();

create or replace trigger plans_not_deleted_with_keys
  before delete on plans
  for each row execute function reject_deleting_used_plan();

create or replace view last_24_hours as
select ago, this_hour() - ago * interval '1 hour' as hour
from generate_series(0, 23) as ago;

comment on view last_24_hours is 'The present UTC hour and the 23 before it.';
comment on column last_24_hours.ago is 'How many hours ago: 0 is the present one.';
comment on column last_24_hours.hour is 'When the hour began (UTC).';

create or replace function counts_in_day(counters api_key_counters) returns boolean
language sql stable parallel safe
return counters.day >= today() and counters.minute <= trusted_until();

comment on function counts_in_day is 'Whether the counts of a day are those of the present one: it has not ended. Null without counters.';

create or replace function counts_in_minute(counters api_key_counters) returns boolean
language sql stable parallel safe
return counters.minute + interval '1 minute' > present() and counters.minute <= trusted_until();

comment on function counts_in_minute is 'Whether the counts of a minute are those of the present one: it has not ended. Null without counters.';

create or replace function is_suspended(key api_keys) returns boolean
language sql stable parallel safe
return coalesce(key.suspended_until > present(), false);

comment on function is_suspended is 'Whether an operator has suspended a key until a later time.';

create or replace function is_valid(key api_keys) returns boolean
language sql stable parallel safe
return key.revoked_at is null and coalesce(key.expires_at > present(), true);

comment on function is_valid(api_keys) is 'Whether a key is neither revoked nor expired. It may lack a valid secret.';

create or replace function is_valid(secret api_key_secrets) returns boolean
language sql stable parallel safe
return coalesce(secret.expires_at > present(), true);

comment on function is_valid(api_key_secrets) is 'Whether a secret has not expired.';

create or replace function last_counted_at(counters api_key_counters) returns timestamptz
language sql stable parallel safe
return case when counters.minute > '-infinity' and counters.minute <= trusted_until() then counters.minute end;

comment on function last_counted_at is 'The minute of the last counted request; null if there was none.';

-- unban_api_key writes the time at which a ban began, which may be in the minute of the last trusted counters.
create or replace function latest_lift() returns timestamptz
language sql stable parallel safe
return trusted_until() + interval '1 minute';

comment on function latest_lift is 'A lift of bans after this time, three minutes ahead, is not valid: it would disable bans for good.';

create or replace function new_secret() returns text
language sql volatile set search_path = public, pg_temp as $$
  select body || api_key_checksum(body) from (select 'psk_' || random_base62(32) as body offset 0) as made
$$;

comment on function new_secret is 'A random plain key, with its checksum.';

revoke execute on function new_secret() from public;

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
  coalesce(used.near_limit_keys, 0) as near_limit_keys
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
comment on column plan_overview.near_limit_keys is 'Those that have used more than 80 % of their day.';

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

-- The history of a key is looked into only where its counters do not say it: a sub-select in coalesce took a second more for a million keys.
create or replace view unused_api_keys as
select k.id as api_key_id, k.name, k.plan_id, use.last_used_at, k.created_at, k.expires_at
from api_keys k
left join api_key_counters c on c.api_key_id = k.id
cross join lateral (
  -- Without counters, or with those of a clock that was ahead, the day of the last use is in the history.
  select max(u.day)::timestamp at time zone 'UTC' as day
  from api_key_usage u
  where u.api_key_id = k.id
    and coalesce(c.minute > trusted_until(), true)
) as history
cross join lateral (select coalesce(last_counted_at(c), history.day) as last_used_at) as use
where k.created_at < present() - interval '90 days'
  and is_valid(k)
  and coalesce(use.last_used_at < present() - interval '90 days', true)
order by use.last_used_at nulls first, k.id;

comment on view unused_api_keys is
  'Keys that are neither revoked nor expired and have had no admitted or limited request for 90 days, those that never had one first.';
comment on column unused_api_keys.last_used_at is 'The minute or day of the last counted request; null if there was none.';
comment on column unused_api_keys.expires_at is 'When the key stops working; null means never.';

create or replace trigger api_keys_not_lifted_later
  before insert or update of bans_lifted_at on api_keys
  for each row when (new.bans_lifted_at > latest_lift())
  execute function reject_change(
    'bans_lifted_at is in the future, which would disable bans', 'To lift the ban of a key: select * from unban_api_key(id).');

create or replace function is_banned(key api_keys, counters api_key_counters) returns boolean
language sql stable parallel safe
return coalesce(
  counters.banned_until > present()
    and counters.banned_at > coalesce(case when key.bans_lifted_at <= latest_lift() then key.bans_lifted_at end, '-infinity')
    and counters.minute <= trusted_until(),
  false);

comment on function is_banned is 'Whether the last ban of a key is in force: neither ended nor lifted, nor of another clock.';

create or replace function create_plan(
  id text,
  per_minute integer default null,
  per_day integer default null,
  custom boolean default false)
returns plan_overview
language plpgsql volatile set search_path = public, pg_temp as $$
#variable_conflict use_column
declare
  result plan_overview;
begin
  insert into plans (id, requests_per_minute, requests_per_day, custom)
  values (create_plan.id, per_minute, per_day, coalesce(create_plan.custom, false))
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

revoke execute on function create_plan(text, integer, integer, boolean) from public;

-- With the owner's rights: a role that may delete from a table may also lock all of it, and admission reads plans.
create or replace function delete_plan(id text) returns plan_overview
language plpgsql volatile security definer set search_path = public, pg_temp as $$
#variable_conflict use_column
declare
  result plan_overview;
begin
  select * into result from plan_overview where id = delete_plan.id;
  if not found then
    raise exception 'plan "%" does not exist', delete_plan.id
      using errcode = 'no_data_found', hint = 'To see the plans: select * from plan_overview, or petstore plans list.';
  end if;
  delete from plans where id = delete_plan.id;
  return result;
end
$$;

comment on function delete_plan is 'Deletes a plan that has no keys, also no revoked ones: select * from delete_plan(''startup'').';

revoke execute on function delete_plan(text) from public;

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

create or replace function set_plan(
  id text,
  per_minute integer default null,
  per_day integer default null,
  custom boolean default null)
returns plan_overview
language plpgsql volatile set search_path = public, pg_temp as $$
#variable_conflict use_column
declare
  result plan_overview;
begin
  update plans
  set
    custom = coalesce(set_plan.custom, custom),
    requests_per_minute = coalesce(per_minute, case when not coalesce(set_plan.custom, custom) then requests_per_minute end),
    requests_per_day = coalesce(per_day, case when not coalesce(set_plan.custom, custom) then requests_per_day end)
  where id = set_plan.id;
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
  'Changes a plan; arguments that you omit stay unchanged: select * from set_plan(''pro'', per_minute => 600).';

revoke execute on function set_plan(text, integer, integer, boolean) from public;

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

-- Reads all of api_key_counters. An index on the rejections would be written with each rejected request, and would end the
-- HOT updates of admission.
create or replace view noisiest_api_keys as
select
  k.id, k.name, k.plan_id, k.state, k.day_refused, k.day_admitted, k.minute_refused, k.minute_admitted,
  k.requests_per_minute, k.requests_per_day, k.banned_until, k.last_used_at
from (
  select c.api_key_id
  from api_key_counters c
  where counts_in_day(c)
    and c.day_refused > 0
  order by c.day_refused desc, c.api_key_id
  limit 100
) as noisy
join api_key_overview k on k.id = noisy.api_key_id
order by k.day_refused desc, k.id;

comment on view noisiest_api_keys is
  'The hundred keys with the most rejected requests today. Requests during a ban are not counted, so look at banned_until as well.';
comment on column noisiest_api_keys.state is 'live, suspended, banned, expired, revoked or unissued.';
comment on column noisiest_api_keys.day_refused is 'Requests rejected in the current UTC day.';
comment on column noisiest_api_keys.day_admitted is 'Requests admitted in the current UTC day, since the last reset.';
comment on column noisiest_api_keys.minute_refused is 'Requests rejected in the current UTC minute.';
comment on column noisiest_api_keys.minute_admitted is 'Requests admitted in the current UTC minute, since the last reset.';
comment on column noisiest_api_keys.requests_per_minute is 'The limit in force: the key''s own, or its plan''s.';
comment on column noisiest_api_keys.requests_per_day is 'The limit in force: the key''s own, or its plan''s.';
comment on column noisiest_api_keys.banned_until is 'When the current ban ends; null if there is none.';
comment on column noisiest_api_keys.last_used_at is 'The minute of the last counted request, admitted or rejected.';

-- Only the last ban of a key is in the counters, and may be in force. Who lifted a ban is in the audit.
create or replace view recent_bans as
select
  b.began_at, b.api_key_id, k.name, k.plan_id, b.ends_at, b.minute_limit, b.day_limit,
  lifted.at as lifted_at,
  is_banned(k, c) as in_force
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

comment on view recent_bans is 'Bans, the last one first, with the limits that the key had. lifted_at is when an operator ended it.';
comment on column recent_bans.began_at is 'When the rejection came that began the ban.';
comment on column recent_bans.ends_at is 'When the ban ends unless an operator lifts it.';
comment on column recent_bans.minute_limit is 'The limit per minute that was in force.';
comment on column recent_bans.day_limit is 'The limit per day that was in force.';
comment on column recent_bans.lifted_at is 'When an operator lifted the ban; null if none did.';
comment on column recent_bans.in_force is 'Whether the ban rejects requests at this time.';

create or replace function api_key_overview_of(key_id bigint) returns api_key_overview
language plpgsql volatile set search_path = public, pg_temp as $$
declare
  found_key api_key_overview;
begin
  select * into found_key from api_key_overview where api_key_overview.id = key_id;
  if not found then
    raise exception 'key % does not exist', coalesce(key_id::text, 'null')
      using errcode = 'no_data_found',
            hint = 'To find a key: select id, name, state from api_key_overview where name ilike ''%acme%'', or petstore keys list --name acme.';
  end if;
  return found_key;
end
$$;

comment on function api_key_overview_of is
  'A row of api_key_overview, which the functions return. Fails if there is no such key.';

revoke execute on function api_key_overview_of(bigint) from public;

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
  update api_key_secrets
  set expires_at = greatest(expires_at, present + overlap)
  where api_key_id = extending.id and expires_at > clock_timestamp();
  if not found then
    raise exception 'key % has no old secret that still works', extending.id
      using errcode = 'invalid_parameter_value', 
        hint = 'An expired secret cannot be prolonged. To add one: select * from rotate_api_key(id), or petstore keys rotate ID.';
  end if;
  return api_key_overview_of(extending.id);
end
$$;

comment on function extend_api_key_overlap is
  'Lets the old secrets of a rotation that still work do so for longer, from now on: select * from extend_api_key_overlap(7, overlap => ''24 hours'').';

revoke execute on function extend_api_key_overlap(bigint, interval) from public;

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

create or replace function reset_api_key_usage(id bigint) returns api_key_overview
language plpgsql volatile set search_path = public, pg_temp as $$
#variable_conflict use_column
begin
  update api_keys set usage_reset_at = clock_timestamp() where id = reset_api_key_usage.id;
  return api_key_overview_of(reset_api_key_usage.id);
end
$$;

comment on function reset_api_key_usage is
  'Gives a key both of its windows anew; bans and rejections stay: select * from reset_api_key_usage(7).';

revoke execute on function reset_api_key_usage(bigint) from public;

create or replace function resume_api_key(id bigint) returns api_key_overview
language plpgsql volatile set search_path = public, pg_temp as $$
#variable_conflict use_column
begin
  update api_keys set suspended_until = null where id = resume_api_key.id;
  return api_key_overview_of(resume_api_key.id);
end
$$;

comment on function resume_api_key is 'Ends the suspension of a key; a ban stays in force: select * from resume_api_key(7).';

revoke execute on function resume_api_key(bigint) from public;

create or replace function revoke_api_key(id bigint) returns api_key_overview
language plpgsql volatile set search_path = public, pg_temp as $$
#variable_conflict use_column
begin
  update api_keys set revoked_at = coalesce(revoked_at, statement_timestamp()) where id = revoke_api_key.id;
  return api_key_overview_of(revoke_api_key.id);
end
$$;

comment on function revoke_api_key is
  'Revokes a key and all its secrets permanently: select * from revoke_api_key(7).';

revoke execute on function revoke_api_key(bigint) from public;

-- With the owner's rights, like issue_api_key.
create or replace function rotate_api_key(id bigint, overlap interval default '24 hours')
returns rotated_api_key
language plpgsql volatile security definer set search_path = public, pg_temp as $$
#variable_conflict use_column
declare
  present constant timestamptz := statement_timestamp();
  rotating api_key_overview;
  rotated rotated_api_key;
begin
  -- Serialises the rotations of a key, so that each ends the secrets of the one before.
  perform from api_keys where id = rotate_api_key.id for no key update;
  rotating := api_key_overview_of(rotate_api_key.id);
  if overlap is null or overlap < interval '0' then
    raise exception 'invalid overlap %', coalesce(overlap::text, 'null')
      using errcode = 'invalid_parameter_value', hint = 'Pass ''24 hours'', or ''0'' if the key has leaked.';
  end if;
  if rotating.revoked_at is not null then
    raise exception 'key % is revoked', rotating.id
      using errcode = 'invalid_parameter_value', hint = 'Issue a new key instead: select * from issue_api_key(…), or petstore keys issue.';
  end if;
  if exists (select from api_keys where id = rotate_api_key.id and expires_at <= present) then
    raise exception 'key % has expired', rotating.id
      using errcode = 'invalid_parameter_value',
            hint = format(
              'Change its expiry first: select * from set_api_key_expiry(%1$s, null), or petstore keys set-expiry %1$s never.', rotating.id);
  end if;
  with ending as (
    update api_key_secrets
    set expires_at = least(expires_at, present + overlap)
    where api_key_id = rotate_api_key.id and (expires_at is null or expires_at > present)
    returning expires_at)
  select max(expires_at) into rotated.old_secrets_expire_at from ending;
  rotated.id := rotating.id;
  rotated.name := rotating.name;
  rotated.key := add_api_key_secret(rotating.id);
  rotated.prefix := left(rotated.key, 12);
  return rotated;
end
$$;

comment on function rotate_api_key is
  'Adds a secret to a key and returns it, once. The old secrets work for the overlap: select * from rotate_api_key(7, overlap => ''24 hours''); ''0'' ends them now.';

revoke execute on function rotate_api_key(bigint, interval) from public;

create or replace function set_api_key_access(id bigint, access api_key_access) returns api_key_overview
language plpgsql volatile set search_path = public, pg_temp as $$
#variable_conflict use_column
begin
  update api_keys set access = set_api_key_access.access where id = set_api_key_access.id;
  return api_key_overview_of(set_api_key_access.id);
end
$$;

comment on function set_api_key_access is
  'Lets a key only read, or write as well: select * from set_api_key_access(7, ''read'').';

revoke execute on function set_api_key_access(bigint, api_key_access) from public;

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

create or replace function set_api_key_expiry(id bigint, expires timestamptz) returns api_key_overview
language plpgsql volatile set search_path = public, pg_temp as $$
#variable_conflict use_column
begin
  if expires <= statement_timestamp() then
    raise exception 'the expiry (%) is in the past', expires
      using errcode = 'invalid_parameter_value',
            hint = format(
              'To end the key now: select * from revoke_api_key(%1$s), or petstore keys revoke %1$s.', set_api_key_expiry.id);
  end if;
  update api_keys set expires_at = expires where id = set_api_key_expiry.id;
  return api_key_overview_of(set_api_key_expiry.id);
end
$$;

comment on function set_api_key_expiry is
  'Sets when a key expires; null means never: select * from set_api_key_expiry(7, ''2027-01-31 00:00Z'').';

revoke execute on function set_api_key_expiry(bigint, timestamptz) from public;

create or replace function set_api_key_limits(id bigint, per_minute integer, per_day integer) returns api_key_overview
language plpgsql volatile set search_path = public, pg_temp as $$
#variable_conflict use_column
begin
  update api_keys
  set requests_per_minute = per_minute, requests_per_day = per_day
  where id = set_api_key_limits.id;
  return api_key_overview_of(set_api_key_limits.id);
end
$$;

comment on function set_api_key_limits is
  'Sets a key''s own limits; null means the limit of the plan: select * from set_api_key_limits(7, per_minute => 600, per_day => null).';

revoke execute on function set_api_key_limits(bigint, integer, integer) from public;

create or replace function set_api_key_plan(
  id bigint,
  plan text,
  per_minute integer default null,
  per_day integer default null)
returns api_key_overview
language plpgsql volatile set search_path = public, pg_temp as $$
#variable_conflict use_column
begin
  update api_keys
  set plan_id = set_api_key_plan.plan, requests_per_minute = per_minute, requests_per_day = per_day
  where id = set_api_key_plan.id;
  return api_key_overview_of(set_api_key_plan.id);
end
$$;

comment on function set_api_key_plan is
  'Moves a key to another plan; without limits it gets those of the plan: select * from set_api_key_plan(7, ''business'').';

revoke execute on function set_api_key_plan(bigint, text, integer, integer) from public;

create or replace function suspend_api_key(id bigint, until timestamptz default null, lasting interval default null)
returns api_key_overview
language plpgsql volatile set search_path = public, pg_temp as $$
#variable_conflict use_column
declare
  ends constant timestamptz := coalesce(suspend_api_key.until, statement_timestamp() + lasting, 'infinity');
begin
  if suspend_api_key.until is not null and lasting is not null then
    raise exception 'until and lasting cannot both be given'
      using errcode = 'invalid_parameter_value', hint = 'Pass one of them, or neither to suspend the key until it is resumed.';
  end if;
  if ends <= statement_timestamp() then
    raise exception 'the end of the suspension (%) is in the past', ends
      using errcode = 'invalid_parameter_value', hint = 'To end a suspension: select * from resume_api_key(id), or petstore keys resume ID.';
  end if;
  update api_keys set suspended_until = ends where id = suspend_api_key.id;
  return api_key_overview_of(suspend_api_key.id);
end
$$;

comment on function suspend_api_key is
  'Rejects all requests of a key for a time: select * from suspend_api_key(7, lasting => ''1 hour''), or until => ''2027-01-31 12:00Z''. Without either: until resume_api_key(7).';

revoke execute on function suspend_api_key(bigint, timestamptz, interval) from public;

-- Also a ban by the clock of another primary, which may begin in the minute of the last trusted counters. Admission ignores later ones.
create or replace function unban_api_key(id bigint) returns api_key_overview
language plpgsql volatile set search_path = public, pg_temp as $$
#variable_conflict use_column
begin
  update api_keys
  set bans_lifted_at = greatest(
    case when bans_lifted_at <= latest_lift() then bans_lifted_at end,
    statement_timestamp(),
    (select banned_at from api_key_counters where api_key_id = unban_api_key.id and banned_at < latest_lift()))
  where id = unban_api_key.id;
  return api_key_overview_of(unban_api_key.id);
end
$$;

comment on function unban_api_key is
  'Lifts the ban of a key and forgets its earlier bans; a suspension stays in force: select * from unban_api_key(7).';

revoke execute on function unban_api_key(bigint) from public;
