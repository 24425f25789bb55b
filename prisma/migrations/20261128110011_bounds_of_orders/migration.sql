alter table orders
  add constraint orders_instants check (is_instant(placed_at) and is_instant(updated_at)) not valid;
