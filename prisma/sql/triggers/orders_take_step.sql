create or replace trigger orders_take_step
  before update on orders
  for each row execute function enforce_order_transition();
