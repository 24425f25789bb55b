create or replace function trusted_until() returns timestamptz
language sql stable parallel safe
return present() + clock_tolerance();

comment on function trusted_until is 'Counters after this time come from another clock and are ignored.';
