create or replace function explain_plan_values() returns trigger
language plpgsql as $$
begin
  if new.id !~ '^[a-z][a-z0-9_-]{0,62}$' then
    raise exception 'invalid plan id "%"', new.id using
      errcode = 'check_violation', table = 'plans', column = 'id',
      hint = 'An id has 1 to 63 lower-case letters, digits, _ and -, and begins with a letter.';
  end if;
  return new;
end
$$;

comment on function explain_plan_values is
  'Rejects a plan id before a constraint does, with a message and a hint.';

revoke execute on function explain_plan_values() from public;
