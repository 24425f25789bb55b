create or replace trigger plans_audit_delete after delete on plans
  referencing old table as old_rows for each statement execute function audit_changes();
