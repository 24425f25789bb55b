-- An update without its where clause is the worst mistake of an operator, and a function that is called for each row is no better, so the
-- changes of a transaction are counted. A setting holds the count: it ends with the transaction, and a rollback to a savepoint restores it.
-- A session may set it: the guard stops mistakes, not malice. The owner, who restores, is not limited, and keys that functions with the owner's
-- rights issue are not counted. Updates are counted whatever the current role is, because a foreign key makes them with the owner's rights, too.
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
    -- A plan that becomes custom, or is so no more, changes plan_custom of its keys by the foreign key, and nothing else of them.
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
            hint = 'Check the where clauses of its statements. If so many changes are meant, allow them and repeat it: set petstore.changes_max = …;';
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
