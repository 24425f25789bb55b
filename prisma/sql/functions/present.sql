-- Not now(), which is fixed during a transaction.
create or replace function present() returns timestamptz
language sql stable parallel safe
return statement_timestamp();

comment on function present is 'The time for which views show keys, limits and bans: the statement''s, by the database clock.';
