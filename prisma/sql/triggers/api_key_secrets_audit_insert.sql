create or replace trigger api_key_secrets_audit_insert after insert on api_key_secrets
  referencing new table as new_rows for each statement execute function audit_changes();
