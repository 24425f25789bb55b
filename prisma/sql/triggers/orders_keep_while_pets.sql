create or replace trigger orders_keep_while_pets
  after truncate on orders
  for each statement execute function keep_orders_of_pets();
