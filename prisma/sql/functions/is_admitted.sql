create or replace function is_admitted(outcome text) returns boolean
language sql immutable parallel safe
return outcome in ('success', 'client_error', 'server_error');

comment on function is_admitted is 'Whether requests with an outcome were admitted, so they count towards limits.';
