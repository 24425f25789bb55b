create or replace trigger pets_keep_ordered_pending
  after update on pets
  for each row when (old.status = 'pending' and new.status is distinct from 'pending')
  execute function keep_ordered_pet_pending();
