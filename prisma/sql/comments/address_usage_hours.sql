comment on table address_usage_hours is
  'Requests rejected by client address, not by key, by hour (UTC). Written every 10 s, so the latest may be missing.';
comment on column address_usage_hours.hour is 'When the hour began (UTC).';
comment on column address_usage_hours.outcome is 'unauthorized (401: no key, or one that does not exist) or limited (429 of the address, also for public documents).';
comment on column address_usage_hours.requests is 'Requests with this outcome, of all addresses.';
