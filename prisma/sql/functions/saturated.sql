create or replace function saturated(sum numeric) returns bigint
language sql immutable parallel safe
return case when sum > 9223372036854775807 then 9223372036854775807 else sum::bigint end;

comment on function saturated is 'A sum of counts, or the largest bigint if it is greater; null of none.';
