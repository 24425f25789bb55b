-- From prisma/sql by "npm run migration". Changes below this line are lost.

-- An update without its where clause is the worst mistake of an operator, and a function that is called for each row is no better, so the
-- changes of a transaction are counted. A setting has their number: it ends with the transaction, and a rollback to a savepoint restores it.
-- The owner, who restores, is not limited, nor are functions with the owner's rights: they issue keys and rename plans. Those that end secrets are.
create or replace function limit_changes() returns trigger
language plpgsql set search_path = public, pg_temp as $$
declare
  changes_max constant integer := coalesce(nullif(current_setting('petstore.changes_max', true), '')::integer, 100);
  owner constant oid := (select relowner from pg_class where oid = 'plans'::regclass);
  changes bigint := coalesce(nullif(current_setting('petstore.changes_made', true), '')::bigint, 0);
  revived bigint := coalesce(nullif(current_setting('petstore.keys_revived', true), '')::bigint, 0);
begin
  if to_regrole('petstore_operator') is null
    or not pg_has_role(session_user, 'petstore_operator', 'member')
    or pg_has_role(session_user, owner, 'member')
    or (pg_has_role(current_user, owner, 'member') and tg_table_name <> 'api_key_secrets')
  then
    return null;
  end if;
  if tg_table_name = 'api_keys' and tg_op = 'UPDATE' then
    -- A plan that becomes custom, or is so no more, changes plan_custom of its keys by the foreign key.
    select changes + count(*) filter (where (o.plan_id, o.plan_custom) = (n.plan_id, n.plan_custom) or o.plan_id <> n.plan_id),
        revived + count(*) filter (where o.revoked_at is not null and n.revoked_at is null)
      into changes, revived
      from old_rows o join new_rows n using (id);
  else
    changes := changes + (select count(*) from new_rows);
  end if;
  if changes > changes_max then
    raise exception 'the transaction changes % keys, secrets or plans, more than petstore.changes_max (%)', changes, changes_max
      using errcode = 'restrict_violation',
            hint = 'Look at its where clause. If so many are meant, allow their number, and repeat it: set petstore.changes_max = …;';
  end if;
  if revived > 1 then
    raise exception 'the transaction revives several revoked keys, which takes a transaction for each'
      using errcode = 'restrict_violation', column = 'revoked_at', hint = 'Add to its where clause: id = ….';
  end if;
  perform set_config('petstore.changes_made', changes::text, true), set_config('petstore.keys_revived', revived::text, true);
  return null;
end
$$;

comment on function limit_changes is
  'Rejects a transaction of an operator that changes more than petstore.changes_max (100) keys, secrets or plans, or revives several revoked keys.';

revoke execute on function limit_changes() from public;

-- With the owner's rights, as delete_plan. The id of a plan never changes, so that its audit has one name: the keys move to a new plan, all of
-- them, however many an operator may change. A key that is issued meanwhile waits, and then finds no plan.
create or replace function rename_plan(id text, new_id text) returns plan_overview
language plpgsql volatile security definer set search_path = public, pg_temp as $$
#variable_conflict use_column
declare
  old plans;
  result plan_overview;
begin
  select * into old from plans where id = rename_plan.id for update;
  if not found then
    raise exception 'plan "%" does not exist', rename_plan.id
      using errcode = 'no_data_found', hint = 'To see the plans: select * from plan_overview, or petstore plans list.';
  end if;
  perform create_plan(new_id, old.requests_per_minute, old.requests_per_day, old.custom);
  update api_keys set plan_id = new_id where plan_id = old.id;
  delete from plans where id = old.id;
  select * into strict result from plan_overview where id = new_id;
  return result;
end
$$;

comment on function rename_plan is
  'Gives a plan another id, which all of its keys get: select * from rename_plan(''startup'', ''growth'').';

revoke execute on function rename_plan(text, text) from public;

create or replace function set_plan(
  id text,
  per_minute integer default null,
  per_day integer default null,
  custom boolean default null)
returns plan_overview
language plpgsql volatile set search_path = public, pg_temp as $$
#variable_conflict use_column
declare
  result plan_overview;
begin
  -- A statement that names custom, which the keys refer to, waits for each transaction that has issued keys of the plan.
  if set_plan.custom <> (select custom from plans where id = set_plan.id) then
    update plans
    set custom = set_plan.custom, requests_per_minute = per_minute, requests_per_day = per_day
    where id = set_plan.id;
  else
    update plans
    set requests_per_minute = coalesce(per_minute, requests_per_minute), requests_per_day = coalesce(per_day, requests_per_day)
    where id = set_plan.id;
  end if;
  if not found then
    raise exception 'plan "%" does not exist', set_plan.id
      using errcode = 'no_data_found',
            hint = 'To see the plans: select * from plan_overview, or petstore plans list. '
                   'To create one: select * from create_plan(…), or petstore plans create.';
  end if;
  select * into strict result from plan_overview where plan_overview.id = set_plan.id;
  return result;
end
$$;

comment on function set_plan is
  'Changes a plan; arguments that you omit stay unchanged: select * from set_plan(''pro'', per_minute => 600).';

revoke execute on function set_plan(text, integer, integer, boolean) from public;

create or replace trigger api_keys_limit_inserts after insert on api_keys
  referencing new table as new_rows for each statement execute function limit_changes();

create or replace trigger plans_limit_inserts after insert on plans
  referencing new table as new_rows for each statement execute function limit_changes();
