-- Operators build it concurrently on large databases, before the release.
-- squawk-ignore require-concurrent-index-creation
create index if not exists api_key_counters_newest_idx on api_key_counters (api_key_id, generation);
