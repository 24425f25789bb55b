create or replace trigger api_keys_audit_update after update on api_keys
  referencing old table as old_rows new table as new_rows for each statement execute function audit_changes();
