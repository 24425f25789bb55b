create or replace view busiest_api_keys as
select api_key_id, name, plan_id, requests, success, client_error, server_error, limited, banned, unauthorized, mean_ms, last_hour, undecided, suspended
from busiest_api_keys_since(this_hour() - interval '23 hours');

comment on view busiest_api_keys is 'The hundred keys with the most requests of the last 24 hours, rejected ones included.';
comment on column busiest_api_keys.requests is 'All requests of the last 24 hours.';
comment on column busiest_api_keys.success is 'Admitted, with a status below 400.';
comment on column busiest_api_keys.client_error is 'Admitted, with a 4xx status.';
comment on column busiest_api_keys.server_error is 'Admitted, with a 5xx status.';
comment on column busiest_api_keys.limited is 'Rejected because a limit was used up (429).';
comment on column busiest_api_keys.banned is 'Rejected because of a ban (429); before 2.0 also because of a suspension (403).';
comment on column busiest_api_keys.unauthorized is 'Rejected because the key is revoked or expired (401).';
comment on column busiest_api_keys.mean_ms is 'Mean milliseconds from the headers of a request to its response.';
comment on column busiest_api_keys.last_hour is 'The last hour with requests.';
comment on column busiest_api_keys.undecided is 'Rejected because the database was unavailable, or on overload (503).';
comment on column busiest_api_keys.suspended is 'Rejected because of a suspension (403), since 2.0.';
