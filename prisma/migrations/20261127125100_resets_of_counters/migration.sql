-- In a migration of its own: requests use both tables, and each is locked until its migration ends.
alter table api_key_counters add column usage_reset_at timestamptz(6);

comment on column api_key_counters.usage_reset_at is 'The reset of the key that was applied last.';
