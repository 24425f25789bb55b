create or replace function new_order() returns orders
language sql volatile
return row(nextval('orders_id_seq'), null, 'placed', now(), now())::orders;

comment on function new_order() is 'An order with the defaults of its columns and the next id.';
