comment on table idempotency_keys is 'The first responses by API key and Idempotency-Key, for 24 hours. Only the service writes them.';
comment on column idempotency_keys.fingerprint is 'SHA-256 of method, path and body, which a retry must match.';
comment on column idempotency_keys.resource_id is 'The id of the created pet or order, for the Location of a retry.';
comment on column idempotency_keys.answer is 'The body of the first response, byte for byte.';
comment on column idempotency_keys.key is 'The Idempotency-Key of the request.';
comment on column idempotency_keys.expires_at is 'From then on the key counts as new.';
