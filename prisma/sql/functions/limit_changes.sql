-- An update that lacks its where clause is an operator's worst mistake, and a function called for every row is no better, so the
-- changes of a transaction are counted. A setting holds the count: it ends with the transaction, and a rollback to a savepoint restores it.
-- A session may set it: the guard stops mistakes, not malice. The owner, who restores, is exempt. Keys that functions with the owner's
-- rights issue are not counted. Updates count under any role, because a foreign key also makes them with the owner's rights.
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
    or (tg_op = 'INSERT' and pg_has_role(current_user, owner, 'member'))
  then
    return null;
  end if;
  if tg_table_name = 'api_keys' and tg_op = 'UPDATE' then
    -- When plans.custom changes, the foreign key updates only plan_custom of its keys.
    select changes + count(distinct id) filter (where
          o.plan_custom = n.plan_custom or to_jsonb(o) - 'plan_custom' is distinct from to_jsonb(n) - 'plan_custom'),
        revived + count(distinct id) filter (where o.revoked_at is not null and n.revoked_at is null)
      into changes, revived
      from old_rows o join new_rows n using (id);
  else
    changes := changes + (select count(*) from new_rows);
  end if;
  if changes > changes_max then
    raise exception 'the transaction changes % keys, secrets or plans, more than petstore.changes_max (%)', changes, changes_max
      using errcode = 'restrict_violation',
            hint = 'Check the where clauses of its statements. If the changes are intended, allow them and retry: set petstore.changes_max = …;';
  end if;
  if revived > 1 then
    raise exception 'the transaction revives several revoked keys, and each needs a transaction of its own'
      using errcode = 'restrict_violation', column = 'revoked_at', hint = 'Add to its where clause: id = ….';
  end if;
  perform set_config('petstore.changes_made', changes::text, true), set_config('petstore.keys_revived', revived::text, true);
  return null;
end
$$;

comment on function limit_changes is
  'Rejects a transaction of an operator that changes more than petstore.changes_max (100) keys, secrets or plans, or revives several revoked keys.';

revoke execute on function limit_changes() from public;
