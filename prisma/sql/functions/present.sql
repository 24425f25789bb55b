-- Not now(), which stands still in an open transaction.
create or replace function present() returns timestamptz
language sql stable parallel safe
return statement_timestamp();

comment on function present is 'The time at which views show keys, limits and bans: that of the statement, by the clock of the database.';
