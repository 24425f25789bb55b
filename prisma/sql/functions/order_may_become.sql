create or replace function order_may_become(present order_status, wanted order_status) returns boolean
language sql immutable parallel safe
return (present, wanted) in (
  ('placed', 'approved'), ('approved', 'delivered'),
  ('placed', 'cancelled'), ('approved', 'cancelled'));

comment on function order_may_become is 'Whether an order may move from the first status to the second.';
