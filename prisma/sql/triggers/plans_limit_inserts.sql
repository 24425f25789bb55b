create or replace trigger plans_limit_inserts after insert on plans
  referencing new table as new_rows for each statement execute function limit_changes();
