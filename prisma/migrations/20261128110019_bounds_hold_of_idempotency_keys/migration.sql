-- Requests go on meanwhile.
alter table idempotency_keys validate constraint idempotency_keys_bounded;
