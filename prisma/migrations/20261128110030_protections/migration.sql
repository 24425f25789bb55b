-- A lift in the future has disabled the bans of its key.
update api_keys set bans_lifted_at = statement_timestamp() where bans_lifted_at > statement_timestamp() + interval '3 minutes';
-- From prisma/sql by "npm run migration". Changes below this line are lost.

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

comment on table api_key_usage_hours is
  'The requests of each key by hour (UTC), operation and outcome. Written every 10 s, so it may lack the last ones; the exact totals of days are in api_key_daily_usage.';
comment on column api_key_usage_hours.operation is 'The operationId of the interface; none where no route matched.';
comment on column api_key_usage_hours.outcome is
  'Of admitted requests: success (below 400), client_error (4xx), server_error (5xx). Of others: limited (429), banned (429 or 403, also suspended), unauthorized (revoked or expired), undecided (503: no database, or too many waited).';
comment on column api_key_usage_hours.total_ms is 'Milliseconds from the headers of the requests to their responses, in all.';
comment on column api_key_usage_hours.hour is 'When the hour began (UTC).';
comment on column api_key_usage_hours.requests is 'Requests with this outcome.';

comment on table database_outages is
  'When a replica had no database, or one that rejected all statements, for a second or longer. Written when it was back; that of a replica that was stopped or killed meanwhile is missing.';
comment on column database_outages.replica is 'The host name of the replica.';
comment on column database_outages.began_at is 'When the replica found that it had none, by the clock of the database.';
comment on column database_outages.ended_at is 'When it was back.';
comment on column database_outages.undecided_of_no_key is
  'Requests with a secret of no key that this replica could not decide about since the outage before. Those of keys are in api_key_usage_hours.';

comment on table deprecated_operations is 'The deprecated operations of the API. The release that deprecates one adds it.';
comment on column deprecated_operations.operation is 'The operationId.';

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

-- unban_api_key writes the time at which a ban began, which may be in the minute of the last trusted counters.
create or replace function latest_lift() returns timestamptz
language sql stable parallel safe
return trusted_until() + interval '1 minute';

comment on function latest_lift is 'A lift of bans after this time, three minutes ahead, is not valid: it would disable bans for good.';

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

create or replace function new_secret() returns text
language sql volatile set search_path = public, pg_temp as $$
  select body || api_key_checksum(body) from (select 'psk_' || random_base62(32) as body offset 0) as made
$$;

comment on function new_secret is 'A random plain key, with its checksum.';

revoke execute on function new_secret() from public;

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

create or replace function busiest_api_keys_since(first_hour timestamptz)
returns table (
  api_key_id bigint, name text, plan_id text, requests bigint,
  success bigint, client_error bigint, server_error bigint, limited bigint, banned bigint, unauthorized bigint,
  mean_ms numeric, last_hour timestamptz, undecided bigint)
language sql stable rows 100 set search_path = public, pg_temp as $$
  select
    busiest.api_key_id, k.name, k.plan_id, busiest.requests,
    by_outcome.success, by_outcome.client_error, by_outcome.server_error,
    by_outcome.limited, by_outcome.banned, by_outcome.unauthorized,
    by_outcome.mean_ms, by_outcome.last_hour, by_outcome.undecided
  from (
    select u.api_key_id, saturated(sum(u.requests)) as requests
    from api_key_usage_hours u
    where u.hour >= first_hour
      and u.hour <= trusted_until()
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
    from generate_series(first_hour, this_hour(), interval '1 hour') as of_hour
    join api_key_usage_hours u on u.hour = of_hour
    where u.api_key_id = busiest.api_key_id
  ) as by_outcome
  left join api_keys k on k.id = busiest.api_key_id
  order by busiest.requests desc, busiest.api_key_id
$$;

comment on function busiest_api_keys_since is
  'The hundred keys with the most requests since an hour, rejected ones included, as in busiest_api_keys: select * from busiest_api_keys_since(this_hour() - interval ''7 days'').';

revoke execute on function busiest_api_keys_since(timestamptz) from public;

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

-- With the owner's rights: operators cannot insert secrets themselves, so that all are equally strong. Ids that are used already are skipped.
create or replace function issue_api_keys(
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
  if expires <= statement_timestamp() then
    raise exception 'the expiry (%) is in the past', expires
      using errcode = 'invalid_parameter_value', hint = 'Pass a time in the future, or none for a key that does not expire.';
  end if;
  loop
    begin
      with made as (
        insert into api_keys (name, plan_id, requests_per_minute, requests_per_day, expires_at, access)
        select called, issue_api_keys.plan, per_minute, per_day, expires, issue_api_keys.access
        from unnest(names) with ordinality as listed (called, place)
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

comment on function issue_api_keys is
  'Issues a key for each name, in their order, and returns them, once: select * from issue_api_keys(array[''Acme'', ''Globex''], plan => ''pro'').';

revoke execute on function issue_api_keys(text[], text, integer, integer, timestamptz, api_key_access) from public;

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

comment on view api_key_hourly_usage is
  'Requests by hour, key, operation and outcome, except those of the last 10 s. Filter by key or hour: where api_key_id = 7 order by hour.';
comment on column api_key_hourly_usage.mean_ms is 'Mean milliseconds from the headers of a request to its response.';
comment on column api_key_hourly_usage.hour is 'When the hour began (UTC).';
comment on column api_key_hourly_usage.operation is 'The operationId of the interface; none where no route matched.';
comment on column api_key_hourly_usage.outcome is 'success, client_error, server_error, limited, banned, unauthorized or undecided.';
comment on column api_key_hourly_usage.requests is 'Requests with this outcome.';

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

-- Everything in it but `since` is visible to every role. A vacuum has a snapshot that holds nothing back, and what the server does by itself
-- has no role.
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
  union all
  select
    'slot', slot_name, null, plugin, null, array[xmin], null,
    case when active then 'end the oldest transaction on the standby'
      else format('select pg_drop_replication_slot(%L)', slot_name) end
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
    count(*) filter (where c.day_admitted > 0.8 * day_limit(k, p) and is_valid(k) and not awaits_reset(k, c)) as near_limit_keys
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

create or replace trigger api_key_secrets_explain_times
  before update of expires_at on api_key_secrets
  for each row when (isfinite(new.expires_at) and not is_instant(new.expires_at))
  execute function reject_change(
    'expires_at needs a year of four digits', 'For a secret without an end: null.');

create or replace trigger api_key_secrets_limit_changes after update on api_key_secrets
  referencing old table as old_rows new table as new_rows for each statement execute function limit_changes();

-- An expired secret may have been found in an old place. Not statement_timestamp(): another operator may end the secret while this
-- statement waits for its row.
create or replace trigger api_key_secrets_not_revived
  before update of expires_at on api_key_secrets
  for each row when (
    old.expires_at <= clock_timestamp() and coalesce(new.expires_at, 'infinity') > old.expires_at)
  execute function reject_change(
    'an expired secret cannot be prolonged', 'To add one: select * from rotate_api_key(id), or petstore keys rotate ID.');

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

create or replace trigger api_keys_limit_changes after update on api_keys
  referencing old table as old_rows new table as new_rows for each statement execute function limit_changes();

create or replace trigger api_keys_not_lifted_later
  before insert or update of bans_lifted_at on api_keys
  for each row when (new.bans_lifted_at > latest_lift())
  execute function reject_change(
    'bans_lifted_at is in the future, which would disable bans', 'To lift the ban of a key: select * from unban_api_key(id).');

create or replace trigger plans_keep_identity
  before update of id on plans
  for each row when (old.id is distinct from new.id)
  execute function reject_change(
    'the id of a plan cannot change',
    'Create another plan: select * from create_plan(…). Then move each key: select * from set_api_key_plan(id, plan).');

create or replace trigger plans_limit_changes after update on plans
  referencing old table as old_rows new table as new_rows for each statement execute function limit_changes();

create or replace function is_banned(key api_keys, counters api_key_counters) returns boolean
language sql stable parallel safe
return coalesce(
  counters.banned_until > present()
    and counters.banned_at > coalesce(case when key.bans_lifted_at <= latest_lift() then key.bans_lifted_at end, '-infinity')
    and counters.minute <= trusted_until(),
  false);

comment on function is_banned is 'Whether the last ban of a key is in force: neither ended nor lifted, nor of another clock.';
