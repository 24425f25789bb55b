comment on table audit_log is 'Every change to keys, secrets and plans. Append-only.';
comment on column audit_log.changed_at is 'When the statement ended; its transaction committed later.';
comment on column audit_log.role is 'The role that logged in to the database.';
comment on column audit_log.actor is 'The person on whose behalf the role acts, set with set_config(''petstore.actor'', …). The CLI sets it to the operating-system user. Up to 255 characters.';
comment on column audit_log.application is 'The application_name of the connection.';
comment on column audit_log.old is 'The old values of the changed columns; all non-null values of a deleted row. Without hashes.';
comment on column audit_log.new is 'The new values of the changed columns; all non-null values of an inserted row. Without hashes.';
comment on column audit_log.action is 'insert, update or delete.';
comment on column audit_log.table_name is 'The table that was changed: api_keys, api_key_secrets or plans.';
