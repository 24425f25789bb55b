create or replace trigger api_keys_limit_inserts after insert on api_keys
  referencing new table as new_rows for each statement execute function limit_changes();
