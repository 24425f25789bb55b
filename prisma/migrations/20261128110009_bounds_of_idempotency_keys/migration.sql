alter table idempotency_keys
  add constraint idempotency_keys_bounded check (is_instant(expires_at) and octet_length(answer) <= 65536) not valid;
