create or replace trigger api_keys_audit_insert after insert on api_keys
  referencing new table as new_rows for each statement execute function audit_changes();
