create or replace trigger orders_reserve_pets
  after insert on orders
  referencing new table as new_orders
  for each statement execute function reserve_ordered_pets();
