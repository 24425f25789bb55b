create or replace function clock_tolerance() returns interval
language sql immutable parallel safe
return interval '2 minutes';

comment on function clock_tolerance is
  'How far the counters of a key may be ahead. Those that are further ahead were written by another clock, such as that of an earlier primary, and begin anew.';
