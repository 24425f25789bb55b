-- Reads all of api_key_counters. An index on rejections would be written with each rejection and prevent the
-- HOT updates of admission.
create or replace view noisiest_api_keys as
select
  k.id, k.name, k.plan_id, k.state, k.day_refused, k.day_admitted, k.minute_refused, k.minute_admitted,
  k.requests_per_minute, k.requests_per_day, k.banned_until, k.last_used_at
from (
  select c.api_key_id
  from api_key_counters c
  where counts_in_day(c)
    and c.day_refused > 0
  order by c.day_refused desc, c.api_key_id
  limit 100
) as noisy
join api_key_overview k on k.id = noisy.api_key_id
order by k.day_refused desc, k.id;

comment on view noisiest_api_keys is
  'The hundred keys with the most rejected requests today. Requests during a ban are not counted, so look at banned_until as well.';
comment on column noisiest_api_keys.state is 'live, suspended, banned, expired, revoked or unissued.';
comment on column noisiest_api_keys.day_refused is 'Requests rejected in the current UTC day.';
comment on column noisiest_api_keys.day_admitted is 'Requests admitted in the current UTC day, since the last reset.';
comment on column noisiest_api_keys.minute_refused is 'Requests rejected in the current UTC minute.';
comment on column noisiest_api_keys.minute_admitted is 'Requests admitted in the current UTC minute, since the last reset.';
comment on column noisiest_api_keys.requests_per_minute is 'The limit in force: the key''s own, or its plan''s.';
comment on column noisiest_api_keys.requests_per_day is 'The limit in force: the key''s own, or its plan''s.';
comment on column noisiest_api_keys.banned_until is 'When the current ban ends; null if there is none.';
comment on column noisiest_api_keys.last_used_at is 'The minute of the last counted request, admitted or rejected.';
