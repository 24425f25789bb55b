create or replace function is_admitted(outcome text) returns boolean
language sql immutable parallel safe
return outcome in ('success', 'client_error', 'server_error');

comment on function is_admitted is 'Whether the requests of an outcome were admitted, and so are counted by the limits.';
