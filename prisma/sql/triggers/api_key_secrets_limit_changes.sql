create or replace trigger api_key_secrets_limit_changes after update on api_key_secrets
  referencing old table as old_rows new table as new_rows for each statement execute function limit_changes();
