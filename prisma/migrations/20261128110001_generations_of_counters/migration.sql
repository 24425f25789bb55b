-- Grows once in some hundred updates of the row. Replicas of the release before leave it as it is. Operators add it with the index on large
-- databases, before the release. Before the functions that take a row of the table: with them, PostgreSQL 17.12 adds no column with a default.
alter table api_key_counters
  add column if not exists generation bigint not null default 0;
