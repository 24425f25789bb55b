create or replace view customer_overview as
select
  k.customer,
  count(*) as keys,
  count(*) filter (where k.state not in ('unissued', 'expired', 'revoked')) as live_keys,
  count(*) filter (where k.state not in ('unissued', 'expired', 'revoked') and k.day_admitted > 0.8 * k.requests_per_day) as near_limit_keys,
  saturated(sum(k.day_admitted)) as day_admitted,
  saturated(sum(k.day_refused)) as day_refused,
  max(k.last_used_at) as last_used_at
from api_key_overview k
where k.customer is not null
group by k.customer;

comment on view customer_overview is
  'Each customer with the use of all its keys: select * from customer_overview where customer = ''crm-7''.';
comment on column customer_overview.customer is 'The customer''s id in another system.';
comment on column customer_overview.keys is 'Keys of the customer, also revoked and expired ones.';
comment on column customer_overview.live_keys is 'Keys that have a secret and are neither revoked nor expired, including suspended and banned keys.';
comment on column customer_overview.near_limit_keys is 'Keys above 80 % of their daily limit.';
comment on column customer_overview.day_admitted is 'Requests admitted in the current UTC day, of each key since its last reset.';
comment on column customer_overview.day_refused is 'Requests rejected in the current UTC day.';
comment on column customer_overview.last_used_at is 'The last counted request of any of the keys.';
