comment on table plans is 'The request limits of each plan. A change applies to the next request on every replica.';
comment on column plans.custom is 'True if the plan has no limits and each of its keys has its own.';
comment on column plans.requests_per_minute is 'Requests that each key may make in a UTC minute; null on a custom plan.';
comment on column plans.requests_per_day is 'Requests that each key may make in a UTC day; null on a custom plan.';
comment on column plans.requests_per_month is 'Requests that each key may make in a UTC month; null: no such limit.';
