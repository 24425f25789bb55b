-- A constraint trigger cannot be replaced. Checked at the end of the transaction, which may delete the orders first and the pet afterwards.
drop trigger if exists orders_keep_while_pet on orders;
create constraint trigger orders_keep_while_pet
  after delete on orders
  deferrable initially deferred
  for each row when (old.status <> 'cancelled')
  execute function keep_orders_of_pet();
