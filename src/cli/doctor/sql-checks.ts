/** A check that is one statement. */
export interface SqlCheck {
  /** Returns a level and what was found; no row if all is well. `:isEmbedded` and `:timeout` (ms) are parameters. */
  readonly sql: string;
  /** The message for no row. */
  readonly ok?: string;
  /** Appended to a finding whose level is not `ok`. */
  readonly remedy?: string;
}

/** The first text of a group and the number of others, so that a finding stays one line. */
const first = (text: string, order = text): string =>
  `(array_agg(${text} order by ${order}))[1] || case when count(*) > 1 then format(' and %s more', count(*) - 1) else '' end`;

export const SQL_CHECKS = {
  /** Every change is tested on 15 to 18. */
  version: {
    sql: `
      select case when major < 15 then 'fail' else 'ok' end as level,
        format('PostgreSQL %s%s', current_setting('server_version'), case
          when major < 15 then ' is too old: use 15 to 18.'
          when major > 18 then ', newer than tested (15 to 18)' end) as message
      from (select current_setting('server_version_num')::int / 10000 as major) as server`,
  },

  writes: {
    sql: `
      select 'fail' as level, case
        when pg_is_in_recovery() then 'this is a standby: connect to the primary, or promote it (pg_promote()).'
        else format('default_transaction_read_only is on (set by: %s): reset it there.', source) end as message
      from pg_settings
      where name = 'default_transaction_read_only' and (setting::boolean or pg_is_in_recovery())`,
    ok: 'the database accepts writes',
  },

  /** Operators and support have their own time-outs: prisma/roles.sql. 0: the role sets none, so the service sets its own. */
  timeout: {
    sql: `
      select
        case when is_of_people or ms in (0, wanted) then 'ok' else 'warn' end as level,
        case
          when is_of_people then format('%s ms, for people', ms)
          when ms in (0, wanted) then format('%s ms', wanted)
          else format('%s ms instead of %s, so %s: set statement_timeout of %I to %s.', ms, wanted,
            case when ms < wanted then 'requests fail early under load' else 'a write may commit after its 503 response' end,
            current_user, wanted) end as message
      from (
        select reset_val::int as ms, :timeout::int as wanted,
          not pg_has_role(to_regrole('petstore_service'), 'member')
            and (pg_has_role(to_regrole('petstore_operator'), 'member') or pg_has_role(to_regrole('petstore_support'), 'member')) as is_of_people
        from pg_settings where name = 'statement_timeout') as timeout`,
  },

  durability: {
    sql: `
      select 'fail' as level, format('turned off: %s.', string_agg(name, ', ' order by name)) as message
      from pg_settings
      where name in ('fsync', 'full_page_writes', 'synchronous_commit') and setting = 'off'
      having count(*) > 0`,
    ok: 'a commit is on disk before the client gets its response',
    remedy: ' A crash may lose pets and orders that clients saw created. Turn them on.',
  },

  /** A request needs its key, its counter and its pet. Only this OS user can reach the embedded server. */
  roles: {
    sql: `
      select
        case when tasks = '' then 'fail' when is_superuser then 'warn' else 'ok' end as level,
        current_user || case
          when tasks = '' then ' has no rights here: grant it petstore_service, petstore_operator or petstore_support.'
          when is_superuser then ' is a superuser, which the service does not need: use another role.'
          else ' may ' || tasks end as message
      from (
        select
          current_setting('is_superuser')::boolean and not :isEmbedded as is_superuser,
          concat_ws(', ',
            case when (select pg_has_role(relowner, 'usage') from pg_class where oid = 'public.plans'::regclass) then 'migrate' end,
            case when has_table_privilege('public.api_key_secrets', 'select')
                and has_table_privilege('public.api_key_counters', 'update')
                and has_table_privilege('public.pets', 'insert')
                and has_sequence_privilege('public.pets_id_seq', 'usage')
              then 'serve requests' end,
            case when not has_table_privilege('public.api_key_overview', 'select') then null
              when has_function_privilege('public.revoke_api_key(bigint)', 'execute')
              then 'manage keys and plans' else 'see keys and plans' end) as tasks) as role`,
  },

  /**
   * A restore omits the privileges of the database itself, and a new owner does not inherit the former owner's grants, such as
   * on functions that migrations and triggers call, which prisma/roles.sql revokes from all others.
   */
  rights: {
    sql: `
      with role as (
        select to_regrole('petstore_service')::oid as service, relowner as owner from pg_class where oid = 'public.plans'::regclass
      ), missing as (
        select 1 as place, format('%s (%s on %s)', role, privilege, target) as text from rights_that_differ() where difference = 'missing'
        union all
        select 2, format('petstore_service (%s on new %s)', privilege, kind)
        from role cross join (values ('r', 'insert', 'tables'), ('S', 'usage', 'sequences')) as needed (type, privilege, kind)
        where service is not null and not exists (
          select from pg_default_acl cross join aclexplode(defaclacl)
          where defaclrole = owner and defaclobjtype::text = type and grantee = service and lower(privilege_type collate "C") = privilege)
      ), finding as (
        select 1 as place, format(
          'the owner, %s, may not call %s, without which nothing is created or migrated: run \`petstore db roles\` as a superuser.',
          owner::regrole, string_agg(lock, ', ')) as text
        from role cross join unnest('{
          pg_advisory_xact_lock(bigint),"pg_advisory_xact_lock(int, int)","pg_try_advisory_xact_lock(int, int)"}'::text[]) as lock
        where not has_function_privilege(owner, lock, 'execute')
        group by owner
        union all
        select 2, format('missing rights: %s: run \`petstore db roles\`.', ${first('text', 'place, text')}) from missing having count(*) > 0
        union all
        select 3, format('rights that they should not have: %s: run \`petstore db roles\`.', ${first('text')})
        from (
          select format('%s (%s on %s)', role, privilege, target) as text from rights_that_differ() where difference = 'beyond') as beyond
        having count(*) > 0
        union all
        select 4, finding from unlisted_rights()
        union all
        select 5, format('petstore_service may create %s: run \`petstore db roles\` as a superuser.', excess)
        from role cross join concat_ws(', ',
          case when has_database_privilege(service, current_database(), 'temporary') then 'temporary tables' end,
          case when has_schema_privilege(service, 'public', 'create') then 'objects in the schema public' end) as excess
        where excess <> ''
      )
      select case min(place) when 1 then 'fail' else 'warn' end as level, string_agg(text, ' ' order by place) as message
      from finding
      having count(*) > 0`,
    ok: 'the roles have the rights that they need, and others have none',
  },

  /** Whether one role could exhaust the server. */
  server: {
    sql: `
      select case when :isEmbedded then 'ok' else 'warn' end as level,
        case when :isEmbedded then 'not checked: the embedded PostgreSQL is for development' else string_agg(finding, '; ') end as message
      from missing_protections()
      having :isEmbedded or count(*) > 0`,
    ok: 'every limit of logins is set',
    remedy: ': as a superuser, run deploy/postgres/roles.sh.',
  },

  /**
   * Rows inserted with explicit ids do not advance the sequence: the service and issue_api_key do so at the first collision. Callers
   * choose category ids, and new_category skips them. Ids do not run out by normal use: below 10 %, something has moved the
   * sequence. Above 2^53, JavaScript clients confuse ids.
   */
  ids: {
    sql: `
      with drawn as materialized (
        select table_name as name, trunc(100 * (9223372036854775807 - last::numeric) / 9223372036854775807, 2)::float8 as percent, last,
          table_name <> 'categories' and next_ids_are_used(table_name, last) as is_behind,
          format('The last one is %s: as the owner, set it back to a value that is followed by free ids: select setval(%L, …);', last, sequence_name) as remedy
        from drawn_ids()
        cross join lateral (select coalesce(pg_sequence_last_value(quote_ident(sequence_name)::regclass), 0)) as sequence (last)
        where has_table_privilege(quote_ident(table_name), 'select') and has_sequence_privilege(quote_ident(sequence_name), 'usage')
      ), finding as (
        select 1 as place, 'fail' as level, format('%s has %s %% of its ids left. %s', name, percent, remedy) as message
        from drawn where percent < 10
        union all
        select 2, 'warn', format('new ids of %s are above %s, which JavaScript clients cannot tell apart. %s', name, ${Number.MAX_SAFE_INTEGER}, remedy)
        from drawn where last > ${Number.MAX_SAFE_INTEGER}
        union all
        select 3, 'warn', format(
          'the sequences of %s are behind ids that are in use, so a new row may fail or take longer. As the owner, run: %s',
          string_agg(name, ', '), string_agg(format('select skip_used_ids(%L);', name), ' '))
        from drawn where is_behind having count(*) > 0
        union all
        select 4, 'ok', format('new rows get unused ids; left: %s', string_agg(format('%s %s %%', name, percent), ', '))
        from drawn having count(*) > 0
      )
      select level, message from finding order by place limit 1`,
    ok: 'not checked: this role may not read the sequences',
  },

  /** No bans start before that time: a clock was ahead, or the trigger that rejects it was disabled. */
  bans: {
    sql: `
      select 'warn' as level, format('no bans start, as bans_lifted_at is in the future: %s.', ${first('text', 'id')}) as message
      from (select id, format('key %s until %s', id, bans_lifted_at) as text from api_keys where bans_lifted_at > latest_lift()) as lifted
      having count(*) > 0`,
    ok: 'every key can be banned',
    remedy: ' Set bans_lifted_at to now() for each.',
  },

  /** Admission trusts the sum that a trigger maintains, and reads history only for a month without one. */
  months: {
    sql: `
      select 'warn' as level, ${first('text', 'id')} as message
      from (
        select api_key_id as id, format('key %s counts %s requests of the finished days of this month, and its history has %s',
          api_key_id, month_before, counted) as text
        from api_key_counters
        left join (
          select api_key_id, sum(admitted) as admitted from api_key_usage
          where day >= date_trunc('month', today()::timestamp) and day < date_trunc('month', today()::timestamp) + interval '1 month'
          group by api_key_id) as history using (api_key_id)
        cross join lateral (select least(coalesce(admitted, 0), count_max() / 4)) as bounded (counted)
        where month = date_trunc('month', today()::timestamp)::date and month_before <> counted) as wrong
      having count(*) > 0`,
    ok: 'the monthly usage of keys matches their history',
    remedy:
      '. A row was deleted, or a trigger disabled. As the owner, set month and month_before to null for each: its next request recomputes the month.',
  },

  /** Written by a clock that was ahead, or with the password of the service. Hours are those of replicas, whose clocks may differ. */
  future: {
    sql: `
      select 'warn' as level, format('rows of a time that has not begun: %s.', string_agg(format('%s in %s', rows, name), ', ' order by name)) as message
      from (
        select 'api_key_usage' as name, count(*) as rows from api_key_usage where day > (trusted_until() at time zone 'UTC')::date
        union all
        select 'api_key_usage_hours', count(*) from api_key_usage_hours where hour > this_hour() + interval '1 hour'
        union all
        select 'address_usage_hours', count(*) from address_usage_hours where hour > this_hour() + interval '1 hour'
        union all
        select 'api_key_bans', count(*) from api_key_bans where began_at > trusted_until()) as ahead
      where rows > 0
      having count(*) > 0`,
    ok: 'no usage or ban is dated ahead',
    remedy: ' As the owner, delete them: docs/operations.md#when-usage-is-dated-ahead.',
  },

  /** An unread slot retains the server's WAL until the disk is full. */
  slots: {
    sql: `
      select 'warn' as level, ${first('text')} as message
      from (
        select case
          when wal_status = 'lost' then format('%s has lost required WAL: set up its consumer again', slot_name)
          when gibibytes > 1 then format('%s keeps %s GiB of the log%s', slot_name, round(gibibytes, 1),
            case when not active then ', and nothing is connected to it' end) end as text
        from pg_replication_slots
        cross join lateral (
          select case when not pg_is_in_recovery() then pg_wal_lsn_diff(pg_current_wal_lsn(), restart_lsn) end / 1073741824) as log (gibibytes)
        where not temporary) as late
      where text is not null
      having count(*) > 0`,
    ok: 'no replication slot is behind',
    remedy:
      ". Restart its consumer, or drop the slot before the disk is full: select pg_drop_replication_slot('…').",
  },
} satisfies Readonly<Record<string, SqlCheck>>;
