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
