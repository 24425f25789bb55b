create or replace trigger pets_count_updated
  after update on pets
  referencing old table as old_pets new table as new_pets
  for each statement execute function count_pets();
