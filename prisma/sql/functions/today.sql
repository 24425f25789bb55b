create or replace function today() returns date
language sql stable parallel safe
return (present() at time zone 'UTC')::date;

comment on function today is 'The present UTC day.';
