-- It returns more columns.
drop function rights_that_differ();

-- From prisma/sql by "npm run migration". Changes below this line are lost.

comment on table api_key_bans is 'The bans of each key, with the limits that it had. A ban that an operator lifted has ended before ends_at: recent_bans.';
comment on column api_key_bans.began_at is 'When the rejection came that began the ban.';
comment on column api_key_bans.ends_at is 'When the ban ends unless an operator lifts it.';
comment on column api_key_bans.minute_limit is 'The limit per minute that was in force.';
comment on column api_key_bans.day_limit is 'The limit per day that was in force.';
comment on column api_key_bans.month_limit is 'The limit per month that was in force; null if there was none.';

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
comment on column api_key_counters.month is 'The UTC month, by its first day, for which month_before holds; null if the key has no limit per month.';
comment on column api_key_counters.month_before is 'What api_key_usage has admitted in that month.';

comment on table api_keys is 'The keys of customers. Keys are revoked, never deleted. A change applies to the next request on every replica.';
comment on column api_keys.customer is 'Whose key it is: the customer''s id in another system, 1 to 100 characters; null if none is known. What the key has used stays with it.';
comment on column api_keys.plan_custom is 'A copy of plans.custom, kept equal by the foreign key.';
comment on column api_keys.requests_per_minute is 'The key''s own limit, instead of the plan''s; required on a custom plan.';
comment on column api_keys.requests_per_day is 'The key''s own limit, instead of the plan''s; required on a custom plan.';
comment on column api_keys.suspended_until is 'Until this time all requests of the key are rejected with 403 api_key_suspended.';
comment on column api_keys.bans_lifted_at is 'Bans that began up to this time are lifted, and do not make the next ban longer.';
comment on column api_keys.access is 'read: GET and HEAD alone; write: everything.';
comment on column api_keys.usage_reset_at is 'The last reset of what its minute and day have admitted: select * from reset_api_key_usage(7).';
comment on column api_keys.expires_at is 'When the key stops working; null means never.';
comment on column api_keys.revoked_at is 'When the key was revoked; null if it was not. Any value revokes at once.';
comment on column api_keys.requests_per_month is 'The key''s own limit per UTC month; null: that of its plan, if it has one.';

comment on table operations is 'The operations of the API that hours of usage name. Migrations fill it.';
comment on column operations.operation is 'The operationId; none where no route matched.';

comment on table plans is 'The request limits of each plan. A change applies to the next request on every replica.';
comment on column plans.custom is 'True if the plan has no limits and each of its keys has its own.';
comment on column plans.requests_per_minute is 'Requests that each key may make in a UTC minute; null on a custom plan.';
comment on column plans.requests_per_day is 'Requests that each key may make in a UTC day; null on a custom plan.';
comment on column plans.requests_per_month is 'Requests that each key may make in a UTC month; null: no such limit.';

comment on table wanted_rights is 'Rights of other roles, such as those of reports, that the owner wants: the doctor does not warn of them. "petstore db roles" grants those on objects.';
comment on column wanted_rights.role is 'The role, or public.';
comment on column wanted_rights.privilege is 'As rights_that_differ() prints it: select, select (name), execute, usage, …; member, of the role that object names; or owner.';
comment on column wanted_rights.object is 'As rights_that_differ() prints it: the name of the table, view, sequence, function or role; schema public; database.';

-- It fires when the statement that finishes a day has written the counters, also in a replica of 1.1.0, which knows no month.
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
    lower(tg_op collate "C"),
    tg_table_name;
  return null;
end
$$;

comment on function audit_changes is 'Writes what a statement changed to audit_log.';

revoke execute on function audit_changes() from public;

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
  'Deletes pets with their cancelled orders, each at most once. Returns a row for each, in their order: deleted, or why it was not: pet_not_found, precondition_failed, pet_has_open_order, pet_is_sold (it has a delivered order), locked.';

-- Callers may choose numbers, so a single row far ahead must not count as being in the way. A run of used ids goes on while at least one in 64
-- is used: in the next 64, the 64 after them, then 128, 256 and so on, of which at most one in 64 is read.
create or replace function end_of_used_ids(of_table text, after bigint) returns bigint
language plpgsql volatile
set enable_seqscan = off
set enable_bitmapscan = off
set search_path = public, pg_temp
as $$
declare
  -- Pets refer to numbers of categories, too. A query for each index.
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
          -- Many pets may have the same number: from one to the next.
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

comment on function explain_plan_numbers is 'Rejects a custom plan that has limits, and another plan that has none.';

revoke execute on function explain_plan_numbers() from public;

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
  'Sets plan_custom from the plan, whatever the statement says, so that a change of plan need not name it.';

revoke execute on function follow_plan() from public;

-- An update without its where clause is the worst mistake of an operator, and a function that is called for each row is no better, so the
-- changes of a transaction are counted. A setting holds the count: it ends with the transaction, and a rollback to a savepoint restores it.
-- A session may set it: the guard stops mistakes, not malice. The owner, who restores, is not limited, and keys that functions with the owner's
-- rights issue are not counted. Updates are counted whatever the current role is, because a foreign key makes them with the owner's rights, too.
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
    -- A plan that becomes custom, or is so no more, changes plan_custom of its keys by the foreign key, and nothing else of them.
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
            hint = 'Check the where clauses of its statements. If so many changes are meant, allow them and repeat it: set petstore.changes_max = …;';
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

-- Volatile, so that it reads with a snapshot of its own: admission calls it when it has locked the counters (those of a barred key it
-- only reads), and the snapshot of its statement lacks a day that another replica has finished meanwhile.
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
  'What the history of a key has of the month of a day: finished days, and of the present one what a reset, or a clock that went back, has finished.';

-- Numbers that are skipped are never looked at again, because a sequence is not rolled back, also where the statement runs out of its time.
-- If more than a few are in use, the whole run is skipped at once, unless another transaction does that: the statement holds locks already,
-- so it waits for none.
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

comment on function new_category is 'A category with a number that neither a category nor a pet uses.';

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
  -- Else each approval would run the triggers of pets, twice and for no row.
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

-- Only the objects of the owner: others may have tables and functions in the schema, too. The statements work under every
-- search_path, so types have their schema. With its default the planner would compile this for a second. Every role may compare, and only
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
    -- A role that may create functions in the schema can get them called with the rights of the owner.
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
    -- Members of these may do it without a grant.
    select r.rolname, 'member', g.rolname, format('role %I', g.rolname),
      concat(format('revoke %I from %I', g.rolname, r.rolname), format(' granted by %I', grantor.rolname), ' cascade'), coalesce(grantor.rolname, 'a superuser')
    from owning
    join pg_roles g
      on g.oid = owner or g.rolsuper
        or g.rolname in ('pg_read_all_data', 'pg_write_all_data', 'pg_maintain', 'pg_read_server_files', 'pg_write_server_files', 'pg_execute_server_program')
    -- Who created a role only administers it.
    join pg_auth_members m on m.roleid = g.oid and not to_jsonb(m) @> '{"inherit_option": false, "set_option": false}'
    join pg_roles r on r.oid = m.member and r.oid <> owner and not r.rolsuper
    left join pg_roles grantor on grantor.oid = m.grantor
    union all
    -- They may drop the schema with all that is in it.
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
  'Rights that role_rights() or the table wanted_rights lists and a role lacks (missing), those that a role of role_rights() has beyond it (beyond), those of any other role (unlisted), each with the statement that changes it and who may run that, and what no list contains (undecided).';

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
    ('petstore_service', 'execute', null, 'skip_used_ids, delete_old_usage, delete_usage_hour, delete_old_address_usage, delete_old_bans, delete_old_database_outages'),

    -- Operators write only the columns that they decide. Ids and hashes are created by functions.
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

    -- Every role may call what only computes. Triggers call the functions that check or count pets and orders.
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
  -- The service takes ids from the sequences before it inserts. Otherwise the table draws them.
  select case when privilege is null then 'the owner' else role end, 'usage', sequence_name
  from drawn_ids()
  left join rights on object = table_name and role = 'petstore_service' and privilege = 'insert'
$$;

comment on function role_rights is 'What each role may do with each table, view, sequence and function. prisma/roles.sql grants it.';

-- Moves past a million consecutive rows at once, but not to a single row far ahead: by at most 64 ids for each id that it passes. It ends at
-- the id of a row.
-- Concurrent calls wait for each other, and the later ones find nothing to do. The sequence never moves back: its short steps are those
-- of nextval, and during a long one other sessions do not take a thousand ids.
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
  'Moves the sequence of a table past ids that rows have already: select skip_used_ids(''pets''). Returns the last id that is skipped.';

revoke execute on function skip_used_ids(text) from public;

-- One for each role, because platforms give a role rights on every object: the first is one to change something, if there is any.
create or replace function unlisted_rights() returns table (finding text)
language sql stable rows 5 set search_path = public, pg_temp as $$
  select distinct on (role)
    format('%s has unlisted rights (%s), such as %s%s. As %s, run: %s; "petstore db roles --revoke-unlisted" takes away what was granted in this database. Those that are wanted, as the owner: insert into wanted_rights select role, privilege, object from rights_that_differ() where difference = ''unlisted'' and role = %L;',
      role, count(*) over (partition by role), privilege, case when privilege in ('member', 'owner') then ' of ' else ' on ' end || target, run_as, statement, role)
  from rights_that_differ()
  where difference = 'unlisted'
  order by role, privilege ~ '^(select|usage)', privilege, target
$$;

comment on function unlisted_rights is
  'The roles that have rights which neither role_rights() nor wanted_rights lists: a sentence each, with what takes one away.';

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

comment on function warn_of_limits is 'Warns where a longer window has a lower limit than a shorter one.';

-- The one list of windows in SQL, from the shortest to the longest, as src/auth/admission/windows.ts has them. Without counters nothing is used.
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
  'The windows of a key: the limit in force (null: none), and what the present one has admitted, as far as the counters know it: of the month all of it after a request of the present day, and of the others also what a due reset will empty.';

-- With the owner's rights, as delete_plan. The id of a plan never changes, so that its audit has one name: the keys move to a new plan, all of
-- them, however many an operator may change. A key that is issued meanwhile waits, and then finds no plan.
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
  perform create_plan(new_id, old.requests_per_minute, old.requests_per_day, old.custom);
  if old.requests_per_month is not null then
    update plans set requests_per_month = old.requests_per_month where id = new_id;
  end if;
  -- The work of this function is neither limited nor counted.
  perform set_config('petstore.changes_max', '2147483647', true);
  update api_keys set plan_id = new_id where plan_id = old.id;
  perform set_config('petstore.changes_max', changes_max, true), set_config('petstore.changes_made', changes_made, true);
  delete from plans where id = old.id;
  select * into strict result from plan_overview where id = new_id;
  return result;
end
$$;

comment on function rename_plan is
  'Gives a plan another id, which all of its keys get: select * from rename_plan(''startup'', ''growth'').';

revoke execute on function rename_plan(text, text) from public;

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
  set plan_id = set_api_key_plan.plan, requests_per_minute = per_minute, requests_per_day = per_day,
    requests_per_month = null
  where id = set_api_key_plan.id;
  return api_key_overview_of(set_api_key_plan.id);
end
$$;

comment on function set_api_key_plan is
  'Moves a key to another plan; without limits it gets those of the plan: select * from set_api_key_plan(7, ''business'').';

revoke execute on function set_api_key_plan(bigint, text, integer, integer) from public;

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
  -- A statement that names custom, which the keys refer to, waits for each transaction that has issued keys of the plan.
  if set_plan.custom <> (select custom from plans where id = set_plan.id for no key update) then
    update plans
    set custom = set_plan.custom, requests_per_minute = per_minute, requests_per_day = per_day,
      requests_per_month = case when set_plan.custom then null else requests_per_month end
    where id = set_plan.id;
  else
    update plans
    set requests_per_minute = coalesce(per_minute, requests_per_minute), requests_per_day = coalesce(per_day, requests_per_day)
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

-- Reads all of api_key_counters: an index on what admission updates would end its HOT updates.
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
  'The hundred keys each that have used the largest share of the present minute, day and month, with their busiest of the last 24 hours. Filter with: where day_share > 0.8.';
comment on column api_keys_near_limit.minute_share is 'The share of the limit that the present minute has used: 1 is all of it.';
comment on column api_keys_near_limit.day_share is 'The share of the limit that the present day has used: 1 is all of it.';
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
comment on column customer_overview.near_limit_keys is 'Those that have used more than 80 % of their day.';
comment on column customer_overview.day_admitted is 'Requests admitted in the current UTC day, of each key since its last reset.';
comment on column customer_overview.day_refused is 'Requests rejected in the current UTC day.';
comment on column customer_overview.last_used_at is 'The last time a counted request of one of the keys came.';

create or replace trigger api_key_usage_adds_to_month
  after insert or update of admitted on api_key_usage
  for each row execute function add_to_month();

create or replace trigger api_keys_explain_limits
  before insert or update of requests_per_minute, requests_per_day, requests_per_month on api_keys
  for each row when (new.requests_per_minute < 1 or new.requests_per_day < 1 or new.requests_per_month < 1)
  execute function explain_limits(
    'Null means the limit of the plan. To stop a key: select * from suspend_api_key(id), or petstore keys suspend ID.');

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
