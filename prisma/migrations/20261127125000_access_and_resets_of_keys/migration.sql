-- What a key may do, and a reset of what it has used.
--
-- 1. keys that may only read: those of web pages, which everybody can see. Replicas of the release before let them write.
-- 2. resets: operators stamp the key, and the next decision about it copies the stamp to the counters. No request waits for an
--    operator's transaction, and no clock is compared. Replicas of the release before count on.
create type api_key_access as enum ('read', 'write');

alter table api_keys add column access api_key_access not null default 'write';

comment on column api_keys.access is 'read: GET and HEAD alone; write: everything.';

alter table api_keys add column usage_reset_at timestamptz(6);

comment on column api_keys.usage_reset_at is 'The last reset of what both windows have admitted: select * from reset_api_key_usage(7).';
