-- Grows once in some hundred updates of the row. Replicas of the release before leave it as it is. Operators add it with the index on large
-- databases, before the release.
alter table api_key_counters
  add column if not exists generation bigint not null default 0,
  add constraint api_key_counters_generation check (generation between 0 and count_max()) not valid;
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
comment on column api_key_counters.generation is 'Grows once in some hundred updates: the newest row version of a key has the greatest one.';
