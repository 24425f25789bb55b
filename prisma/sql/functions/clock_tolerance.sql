create or replace function clock_tolerance() returns interval
language sql immutable parallel safe
return interval '2 minutes';

comment on function clock_tolerance is
  'How far ahead the counters of a key may be. Beyond it, another clock wrote them, such as that of a former primary, and they start over.';
