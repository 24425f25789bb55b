-- An update without its where clause is the worst mistake of an operator. The owner, who restores, is not limited.
create or replace function limit_changes() returns trigger
language plpgsql set search_path = public, pg_temp as $$
declare
  changes_max constant integer := coalesce(nullif(current_setting('petstore.changes_max', true), '')::integer, 100);
  owner constant oid := (select relowner from pg_class where oid = 'plans'::regclass);
  changes bigint;
begin
  if to_regrole('petstore_operator') is null
    or not pg_has_role(session_user, 'petstore_operator', 'member')
    or pg_has_role(session_user, owner, 'member')
  then
    return null;
  end if;
  if tg_table_name = 'api_keys' then
    -- A plan that becomes custom, or is so no more, changes plan_custom of its keys by the foreign key.
    changes := (
      select count(*) from old_rows o join new_rows n using (id)
      where (o.plan_id, o.plan_custom) = (n.plan_id, n.plan_custom) or o.plan_id <> n.plan_id);
  else
    changes := (select count(*) from new_rows);
  end if;
  if changes > changes_max then
    raise exception 'the statement changes % rows of %, more than petstore.changes_max (%)', changes, tg_table_name, changes_max
      using errcode = 'restrict_violation',
            hint = format('Look at its where clause. If all of them are meant, repeat it after: set petstore.changes_max = %s;', changes);
  end if;
  if tg_table_name = 'api_keys' and changes > 1 then
    if exists (
      select from old_rows join new_rows using (id) where old_rows.revoked_at is not null and new_rows.revoked_at is null)
    then
      raise exception 'the statement revives revoked keys, which takes a statement for each'
        using errcode = 'restrict_violation', column = 'revoked_at', hint = 'Add to its where clause: id = ….';
    end if;
  end if;
  return null;
end
$$;

comment on function limit_changes is
  'Rejects a statement of an operator that changes more than petstore.changes_max (100) keys, secrets or plans, or revives several revoked keys.';

revoke execute on function limit_changes() from public;
