-- Statements that give names run one after another: the second of two equal names finds the first, because in plpgsql the query has a
-- snapshot of its own.
create or replace function is_name_taken(wanted text, by_other_than bigint default null) returns boolean
language plpgsql volatile set search_path = public, pg_temp as $$
begin
  perform pg_advisory_xact_lock(hashtext('categories'), 0);
  return exists (
    select from categories
    where lower(name collate "C") = lower(wanted collate "C") and id is distinct from by_other_than);
end
$$;

comment on function is_name_taken is
  'Whether a category has a name, without regard to the case of ASCII letters. Until the end of the transaction no other one gives names by this function.';
