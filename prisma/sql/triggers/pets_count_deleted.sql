create or replace trigger pets_count_deleted
  after delete on pets
  referencing old table as old_pets
  for each statement execute function count_pets();
