create or replace function saturated(sum numeric) returns bigint
language sql immutable parallel safe
return case when sum > 9223372036854775807 then 9223372036854775807 else sum::bigint end;

comment on function saturated is 'A sum of counts, capped at the largest bigint; null for no rows.';
