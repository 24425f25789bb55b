create or replace trigger api_keys_limit_changes after update on api_keys
  referencing old table as old_rows new table as new_rows for each statement execute function limit_changes();
