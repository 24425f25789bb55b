create or replace trigger pets_count_inserted
  after insert on pets
  referencing new table as new_pets
  for each statement execute function count_pets();
