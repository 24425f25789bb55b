create or replace trigger orders_release_pets
  after update on orders
  referencing old table as old_orders new table as new_orders
  for each statement execute function release_ordered_pets();
