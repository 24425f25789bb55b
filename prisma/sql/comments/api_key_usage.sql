comment on table api_key_usage is 'The completed days (UTC) of each key. The current day is in api_key_counters.';
comment on column api_key_usage.day is 'A UTC day that has ended, or today up to the last reset.';
comment on column api_key_usage.admitted is 'Requests admitted in the day.';
comment on column api_key_usage.refused is 'Requests rejected in the day.';
