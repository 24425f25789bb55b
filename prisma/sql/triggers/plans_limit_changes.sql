create or replace trigger plans_limit_changes after update on plans
  referencing old table as old_rows new table as new_rows for each statement execute function limit_changes();
