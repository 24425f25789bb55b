create or replace trigger plans_audit_update after update on plans
  referencing old table as old_rows new table as new_rows for each statement execute function audit_changes();
