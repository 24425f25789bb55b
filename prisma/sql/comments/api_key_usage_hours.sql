comment on table api_key_usage_hours is
  'The requests of each key by hour (UTC), operation and outcome. Written every 10 s, so it may lack the last ones; the exact totals of days are in api_key_daily_usage.';
comment on column api_key_usage_hours.operation is 'The operationId of the interface; none where no route matched.';
comment on column api_key_usage_hours.outcome is
  'Of admitted requests: success (below 400), client_error (4xx), server_error (5xx). Of others: limited (429), banned (429), suspended (403; before 2.0 banned), unauthorized (revoked or expired), undecided (503: no database, or too many waited).';
comment on column api_key_usage_hours.total_ms is 'Milliseconds from the headers of the requests to their responses, in all.';
comment on column api_key_usage_hours.hour is 'When the hour began (UTC).';
comment on column api_key_usage_hours.requests is 'Requests with this outcome.';
comment on column api_key_usage_hours.minute_peak is
  'Of admitted requests: the most of the key that a minute of the hour had admitted after one of them, with any outcome. The peak of the hour is the greatest of its rows; null before 1.1.0.';
