-- The answers of requests that carried an Idempotency-Key, stored in the statement that creates what they answer with.
-- No foreign key leads to api_keys: it would take a lock on an operator's row. An expired row is overwritten by the next
-- request with its key, so that expiry needs no sweep to be exact; the sweep only gives the room back.

create table idempotency_keys (
  api_key_id bigint not null,
  key text not null,
  fingerprint bytea not null,
  resource_id bigint not null,
  answer text not null,
  expires_at timestamptz(6) not null,
  constraint idempotency_keys_pkey primary key (api_key_id, key),
  constraint idempotency_keys_key_length check (char_length(key) between 1 and 255),
  constraint idempotency_keys_fingerprint_is_sha256 check (octet_length(fingerprint) = 32)
);

create index idempotency_keys_expires_at_idx on idempotency_keys (expires_at);

comment on table idempotency_keys is 'First answers, by API key and Idempotency-Key, for 24 hours. Written by the service alone.';
comment on column idempotency_keys.fingerprint is 'SHA-256 of method, path and body: a repeat must have the same.';
comment on column idempotency_keys.resource_id is 'The identifier of what was created, for the Location of a repeat.';
comment on column idempotency_keys.answer is 'The body of the first answer, to the byte.';
