-- The counts of each key: rows that the service writes and operators only read. No foreign key leads from here to
-- api_keys: a foreign key would take a lock on the operator's row, and an open psql could stall every request.

create table api_key_counters (
  api_key_id bigint not null,
  minute timestamptz(6) not null default '-infinity',
  minute_admitted integer not null default 0,
  minute_refused integer not null default 0,
  day date not null default '-infinity',
  day_admitted integer not null default 0,
  day_refused integer not null default 0,
  banned_at timestamptz(6),
  banned_until timestamptz(6),
  constraint api_key_counters_pkey primary key (api_key_id),
  constraint api_key_counters_not_negative check (
    minute_admitted >= 0 and minute_refused >= 0 and day_admitted >= 0 and day_refused >= 0),
  constraint api_key_counters_ban_has_both_ends check ((banned_at is null) = (banned_until is null))
)
-- Half of each page stays free, so that an update finds room beside its old version and touches no index (HOT).
with (fillfactor = 50, autovacuum_vacuum_scale_factor = 0.02);

comment on table api_key_counters is 'The live row of a key: its present minute and day (UTC) and its last ban. Written by admission alone.';

create table api_key_usage (
  api_key_id bigint not null,
  day date not null,
  admitted integer not null,
  refused integer not null,
  constraint api_key_usage_pkey primary key (api_key_id, day),
  constraint api_key_usage_not_negative check (admitted >= 0 and refused >= 0)
);

-- Old days are deleted by age (USAGE_RETENTION_DAYS).
create index api_key_usage_day_idx on api_key_usage (day);

comment on table api_key_usage is 'The finished days (UTC) of each key. The present day is in api_key_counters.';

-- Every key has its live row from the start: admission then only ever updates, and never has to decide a race of inserts.
-- With the owner's rights, because whoever makes keys may not write counters.
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

-- A trigger on anybody's own table could call it otherwise.
revoke execute on function make_api_key_counters() from public;
