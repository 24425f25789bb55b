-- Grows once in some hundred updates of the row. Replicas of the release before leave it as it is. Operators add it with the index on large
-- databases, before the release.
alter table api_key_counters
  add column if not exists generation bigint not null default 0,
  add constraint api_key_counters_generation check (generation between 0 and count_max()) not valid;
