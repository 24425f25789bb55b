comment on table address_usage_hours is
  'The requests that were rejected by their client address and not by a key, by hour (UTC). Written every 10 s, so it may lack the last ones.';
comment on column address_usage_hours.hour is 'When the hour began (UTC).';
comment on column address_usage_hours.outcome is 'unauthorized (401: no key, or one that does not exist) or limited (429 of the address, also for public documents).';
comment on column address_usage_hours.requests is 'Requests with this outcome, of all addresses.';
