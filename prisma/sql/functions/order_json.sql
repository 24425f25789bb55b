-- Times are in UTC with milliseconds, truncated as in JavaScript, not rounded.
create or replace function order_json("order" orders) returns text
language sql stable parallel safe
return '{"id":' || "order".id || ',"petId":' || "order".pet_id || ',"status":"' || "order".status
  || '","placedAt":"' || to_char("order".placed_at at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"')
  || '","updatedAt":"' || to_char("order".updated_at at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"') || '"}';

comment on function order_json(orders) is 'An order as the API returns it.';
