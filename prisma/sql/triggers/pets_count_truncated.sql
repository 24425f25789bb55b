create or replace trigger pets_count_truncated
  after truncate on pets
  for each statement execute function count_no_pets();
