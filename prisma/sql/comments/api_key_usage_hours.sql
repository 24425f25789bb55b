comment on table api_key_usage_hours is
  'The requests of each key by hour (UTC), operation and outcome. Written every 10 s, so the latest may be missing; api_key_daily_usage has exact daily totals.';
comment on column api_key_usage_hours.operation is 'The operationId of the interface; none where no route matched.';
comment on column api_key_usage_hours.outcome is
  'Admitted: success (below 400), client_error (4xx), server_error (5xx). Not admitted: limited (429), banned (429), suspended (403; before 2.0 banned), unauthorized (revoked or expired), undecided (503: no database, or overload).';
comment on column api_key_usage_hours.total_ms is 'Total milliseconds from request headers to response.';
comment on column api_key_usage_hours.hour is 'When the hour began (UTC).';
comment on column api_key_usage_hours.requests is 'Requests with this outcome.';
comment on column api_key_usage_hours.minute_peak is
  'For admitted requests: the highest minute count of the key, over all outcomes, after one of them. The peak of the hour is the maximum of its rows; null before 1.1.0.';
