create or replace function is_instant(at timestamptz) returns boolean
language sql immutable parallel safe
return at between '0001-01-01 00:00:00Z' and '9999-12-31 23:59:59.999999Z';

comment on function is_instant is 'Whether a time has a four-digit year, as RFC 3339 requires. Infinities do not.';
