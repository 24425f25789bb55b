-- Requests go on meanwhile.
alter table orders validate constraint orders_instants;
