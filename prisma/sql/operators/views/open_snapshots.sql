-- All but `since` is visible to every role. A vacuum's snapshot retains nothing, background processes
-- have no role, and a parallel worker shares its leader's snapshot (without access to leader_pid, the service may see it twice).
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
