comment on table api_key_secrets is 'The secrets of a key: one, or more during a rotation. Only the SHA-256 is stored.';
comment on column api_key_secrets.prefix is 'The first 12 characters of the secret, to identify it.';
comment on column api_key_secrets.hash is 'The SHA-256 of the secret. Operators cannot read it.';
comment on column api_key_secrets.expires_at is 'When the secret stops working; null means never.';
