create or replace trigger api_keys_make_counters
  after insert on api_keys
  referencing new table as made
  for each statement execute function make_api_key_counters();
