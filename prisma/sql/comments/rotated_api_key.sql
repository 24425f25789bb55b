comment on type rotated_api_key is 'The result of rotate_api_key.';
comment on column rotated_api_key.key is 'The new plain key, which is stored nowhere.';
comment on column rotated_api_key.prefix is 'The first 12 characters of the new key, which identify it.';
comment on column rotated_api_key.old_secrets_expire_at is 'When the last of the old secrets stops working.';
