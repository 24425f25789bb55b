-- What a value may be is declared where the tables are made; these triggers say it before, in words and with the column, for
-- whoever writes plain SQL.
create function explain_key_values() returns trigger
language plpgsql as $$
begin
  if new.plan_id is null then
    raise exception 'plan_id is missing' using
      errcode = 'not_null_violation', table = 'api_keys', column = 'plan_id',
      hint = 'The plans are: ' || (select string_agg(plans.id, ', ' order by plans.id) from public.plans) || '.';
  end if;
  if char_length(new.name) not between 1 and 255 or new.name !~ '[^[:space:]]' or new.name ~ '[[:cntrl:]]' then
    raise exception 'the name of a key has 1 to 255 characters, one of them to be seen and none a control character' using
      errcode = 'check_violation', table = 'api_keys', column = 'name',
      hint = 'It tells people whose key it is, such as Acme web.';
  end if;
  return new;
end
$$;

create trigger api_keys_explain_values
  before insert or update of name, plan_id on api_keys
  for each row execute function explain_key_values();

create function explain_plan_values() returns trigger
language plpgsql as $$
begin
  if new.id !~ '^[a-z][a-z0-9_-]{0,62}$' then
    raise exception '"%" cannot be the id of a plan', new.id using
      errcode = 'check_violation', table = 'plans', column = 'id',
      hint = 'It has 1 to 63 small letters, digits, _ and -, and begins with a letter.';
  end if;
  return new;
end
$$;

create trigger plans_explain_values
  before insert or update of id on plans
  for each row execute function explain_plan_values();

-- Called with the hint.
create function explain_limits() returns trigger
language plpgsql as $$
declare
  wrong text := case when new.requests_per_minute < 1 then 'requests_per_minute' else 'requests_per_day' end;
begin
  raise exception '% is % and has to be at least 1', wrong, to_jsonb(new) ->> wrong
    using errcode = 'check_violation', table = tg_table_name, column = wrong, hint = tg_argv[0];
end
$$;

create trigger api_keys_explain_limits
  before insert or update of requests_per_minute, requests_per_day on api_keys
  for each row when (new.requests_per_minute < 1 or new.requests_per_day < 1)
  execute function explain_limits(
    'Null is the number of the plan. To stop a key: select * from suspend_api_key(id).');

create trigger plans_explain_limits
  before insert or update of requests_per_minute, requests_per_day on plans
  for each row when (new.requests_per_minute < 1 or new.requests_per_day < 1)
  execute function explain_limits(
    'To stop the keys of a plan, suspend them: select suspend_api_key(id) from api_keys where plan_id = ….');

revoke execute on function explain_key_values(), explain_plan_values(), explain_limits() from public;
