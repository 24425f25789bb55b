create or replace function explain_key_values() returns trigger
language plpgsql as $$
begin
  if new.plan_id is null then
    raise exception 'plan_id is required' using
      errcode = 'not_null_violation', table = 'api_keys', column = 'plan_id',
      hint = 'The plans are: ' || (select string_agg(plans.id, ', ' order by plans.id) from public.plans) || '.';
  end if;
  if char_length(new.name) not between 1 and 255 or new.name !~ '[^[:space:]]' or new.name ~ '[[:cntrl:]]' then
    raise exception 'the name of a key must have 1 to 255 characters, at least one of them visible, and no control characters' using
      errcode = 'check_violation', table = 'api_keys', column = 'name',
      hint = 'Use the name of the customer or application, such as Acme web.';
  end if;
  if char_length(new.customer) not between 1 and 100 or new.customer !~ '[^[:space:]]' or new.customer ~ '[[:cntrl:]]' then
    raise exception 'the customer of a key must have 1 to 100 characters, at least one of them visible, and no control characters' using
      errcode = 'check_violation', table = 'api_keys', column = 'customer',
      hint = 'Use the id of the customer in another system, such as crm-4711, or null.';
  end if;
  return new;
end
$$;

comment on function explain_key_values is
  'Rejects a name, customer or plan before a constraint does, with a message and a hint.';

revoke execute on function explain_key_values() from public;
