create or replace trigger plans_audit_insert after insert on plans
  referencing new table as new_rows for each statement execute function audit_changes();
