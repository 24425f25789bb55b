-- Operators build them concurrently on large databases, before the release.
-- squawk-ignore require-concurrent-index-creation
create index if not exists api_key_usage_hours_operation_idx on api_key_usage_hours (operation, api_key_id, hour);

-- The last hours, in some kilobytes: the primary key would be passed over, as if the rows of an hour were far apart. Where rows take the
-- place of deleted ones, a part of the table has several hours.
-- squawk-ignore require-concurrent-index-creation
create index if not exists api_key_usage_hours_hour_idx on api_key_usage_hours using brin (hour timestamptz_minmax_multi_ops);
