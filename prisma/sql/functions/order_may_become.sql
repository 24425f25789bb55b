create or replace function order_may_become(present order_status, wanted order_status) returns boolean
language sql immutable parallel safe
return (present, wanted) in (
  ('placed', 'approved'), ('approved', 'delivered'),
  ('placed', 'cancelled'), ('approved', 'cancelled'));

comment on function order_may_become is 'The transitions of an order: whether the first status can become the second.';
