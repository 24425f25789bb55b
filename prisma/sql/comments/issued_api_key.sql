comment on type issued_api_key is 'The result of issue_api_key.';
comment on column issued_api_key.key is 'The plain key, which is stored nowhere.';
comment on column issued_api_key.prefix is 'The first 12 characters of the key, which identify it.';
comment on column issued_api_key.requests_per_minute is 'The limit in force: the key''s own, or its plan''s.';
comment on column issued_api_key.requests_per_day is 'The limit in force: the key''s own, or its plan''s.';
comment on column issued_api_key.expires_at is 'When the key stops working; null means never.';
