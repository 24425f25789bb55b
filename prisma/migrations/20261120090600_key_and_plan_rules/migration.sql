-- Plain SQL on keys, secrets and plans stays safe: what is wrong is refused with a message that says what to do. What must
-- never be wrong is declared where the tables are made; these triggers fill in and explain. Names are written with their
-- schema, so that they mean the same whatever search_path the operator has, at no cost for each row.

-- A name is shown in terminals, in which control characters are commands.
alter table api_keys add constraint api_keys_name_printable check (
  name ~ '[^[:space:]]' and name !~ '[[:cntrl:]]');

-- Called with the message and the hint.
create function refuse_change() returns trigger
language plpgsql as $$
begin
  raise exception '%', tg_argv[0] using errcode = 'restrict_violation', hint = tg_argv[1];
end
$$;

-- plan_custom need not be known to anybody who changes the plan of a key: it is the plan's, whatever is said.
create function follow_plan() returns trigger
language plpgsql as $$
declare
  chosen public.plans;
begin
  select * into chosen from public.plans where plans.id = new.plan_id;
  if not found then
    raise exception 'there is no plan "%"', new.plan_id
      using errcode = 'foreign_key_violation',
            hint = 'The plans are: ' || (select string_agg(plans.id, ', ' order by plans.id) from public.plans) || '.';
  end if;
  if chosen.custom and (new.requests_per_minute is null or new.requests_per_day is null) then
    raise exception 'the plan "%" is custom: its keys carry both of their limits, and "%" would not', chosen.id, new.name
      using errcode = 'check_violation',
            hint = 'Give requests_per_minute and requests_per_day too; the functions call them per_minute and per_day.';
  end if;
  new.plan_custom := chosen.custom;
  return new;
end
$$;

create trigger api_keys_follow_plan
  before insert or update of plan_id, plan_custom, requests_per_minute, requests_per_day on api_keys
  for each row execute function follow_plan();

create trigger api_keys_keep_identity
  before update of id, created_at on api_keys
  for each row when ((old.id, old.created_at) is distinct from (new.id, new.created_at))
  execute function refuse_change(
    'the id and the created_at of a key do not change', 'Issue another key: select * from issue_api_key(…).');

create trigger api_keys_not_deleted
  before delete or truncate on api_keys
  for each statement execute function refuse_change(
    'keys are revoked, never deleted', 'Revoke it: select * from revoke_api_key(id).');

create trigger api_key_secrets_keep_identity
  before update of hash, api_key_id, prefix, created_at on api_key_secrets
  for each row when (
    (old.hash, old.api_key_id, old.prefix, old.created_at)
      is distinct from (new.hash, new.api_key_id, new.prefix, new.created_at))
  execute function refuse_change(
    'of a secret only expires_at changes', 'Make another secret: select * from rotate_api_key(id).');

create trigger api_key_secrets_not_deleted
  before delete or truncate on api_key_secrets
  for each statement execute function refuse_change(
    'secrets expire, and are never deleted', 'Let it expire: update api_key_secrets set expires_at = now() where ….');

create function explain_plan_numbers() returns trigger
language plpgsql as $$
begin
  if new.custom and num_nonnulls(new.requests_per_minute, new.requests_per_day) > 0 then
    raise exception 'the plan "%" is custom and has no numbers of its own', new.id
      using errcode = 'check_violation',
            hint = 'Give them to its keys: select * from set_api_key_limits(id, per_minute, per_day). '
                   'Or make it a plan like others: set custom = false.';
  end if;
  if not new.custom and num_nulls(new.requests_per_minute, new.requests_per_day) > 0 then
    raise exception 'the plan "%" needs both requests_per_minute and requests_per_day', new.id
      using errcode = 'check_violation',
            hint = 'Or make it custom, with no numbers: then each of its keys carries both.';
  end if;
  return new;
end
$$;

create trigger plans_explain_numbers
  before insert or update on plans
  for each row execute function explain_plan_numbers();

create trigger plans_keep_identity
  before update of id on plans
  for each row when (old.id is distinct from new.id)
  execute function refuse_change(
    'the id of a plan does not change',
    'Make another plan: select * from set_plan(…). Then move the keys: update api_keys set plan_id = ….');

create function refuse_to_delete_used_plan() returns trigger
language plpgsql as $$
begin
  if exists (select from public.api_keys where api_keys.plan_id = old.id) then
    raise exception 'the plan "%" has keys', old.id
      using errcode = 'foreign_key_violation',
            hint = 'Move them first, the revoked ones, too: update api_keys set plan_id = … where plan_id = ….';
  end if;
  return old;
end
$$;

create trigger plans_not_deleted_with_keys
  before delete on plans
  for each row execute function refuse_to_delete_used_plan();

revoke execute on function refuse_change(), follow_plan(), explain_plan_numbers(), refuse_to_delete_used_plan() from public;
