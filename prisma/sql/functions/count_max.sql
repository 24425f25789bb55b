-- 2^62 - 1: two of them add up to less than the largest bigint.
create or replace function count_max() returns bigint
language sql immutable parallel safe
return 4611686018427387903;

comment on function count_max is 'The largest count of requests or milliseconds in a row. It caps sums.';
