create or replace view last_24_hours as
select ago, this_hour() - ago * interval '1 hour' as hour
from generate_series(0, 23) as ago;

comment on view last_24_hours is 'The present UTC hour and the 23 before it.';
comment on column last_24_hours.ago is 'How many hours ago: 0 is the present one.';
comment on column last_24_hours.hour is 'When the hour began (UTC).';
