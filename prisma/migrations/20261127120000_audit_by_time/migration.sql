-- Changes since a time, of a log that only grows.

-- Operators build it concurrently on large databases, before the release.
-- squawk-ignore require-concurrent-index-creation
create index if not exists audit_log_changed_at_idx on audit_log (changed_at);
