-- The request counts of each key: rows that the service writes and operators only read. No foreign key leads from here to
-- api_keys. It would lock the operator's row, and one open psql transaction could stall every request.

-- Counts are bigint: a day of floods exceeds 2^31, and one overflow would fail a whole batch.
create table api_key_counters (
  api_key_id bigint not null,
  minute timestamptz(6) not null default '-infinity',
  minute_admitted bigint not null default 0,
  minute_refused bigint not null default 0,
  day date not null default '-infinity',
  day_admitted bigint not null default 0,
  day_refused bigint not null default 0,
  banned_at timestamptz(6),
  banned_until timestamptz(6),
  constraint api_key_counters_pkey primary key (api_key_id),
  constraint api_key_counters_not_negative check (
    minute_admitted >= 0 and minute_refused >= 0 and day_admitted >= 0 and day_refused >= 0),
  constraint api_key_counters_ban_has_both_ends check ((banned_at is null) = (banned_until is null))
)
-- Half of each page stays free: an update then fits beside the old version and touches no index (HOT).
with (fillfactor = 50, autovacuum_vacuum_scale_factor = 0.02);

comment on table api_key_counters is 'The counters of each key: its current minute and day (UTC) and its last ban. Only the service writes them.';

create table api_key_usage (
  api_key_id bigint not null,
  day date not null,
  admitted bigint not null,
  refused bigint not null,
  constraint api_key_usage_pkey primary key (api_key_id, day),
  constraint api_key_usage_not_negative check (admitted >= 0 and refused >= 0)
);

-- Days are deleted when they are older than USAGE_RETENTION_DAYS.
create index api_key_usage_day_idx on api_key_usage (day);

comment on table api_key_usage is 'The completed days (UTC) of each key. The current day is in api_key_counters.';

-- Each key gets its live row when it is inserted. Admission then only updates and never races to insert. The function has
-- the owner's rights, because operators insert keys but may not write counters.
create function make_api_key_counters() returns trigger
language plpgsql security definer set search_path = public, pg_temp as $$
begin
  insert into api_key_counters (api_key_id) select id from made on conflict (api_key_id) do nothing;
  return null;
end
$$;

create trigger api_keys_make_counters
  after insert on api_keys
  referencing new table as made
  for each statement execute function make_api_key_counters();

-- Otherwise any role could call it from a trigger on its own table.
revoke execute on function make_api_key_counters() from public;
