create or replace function this_hour() returns timestamptz
language sql stable parallel safe
return date_trunc('hour', present(), 'UTC');

comment on function this_hour is 'When the present UTC hour began.';
