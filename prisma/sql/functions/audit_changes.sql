-- One insert per statement, with the owner's rights. Old and new rows are joined by the immutable column. An update that changes
-- no value is not recorded. One expression per column finds the changed columns, in a third of the time of comparing the rows
-- as jsonb. Entries about a secret always contain its prefix.
create or replace function audit_changes() returns trigger
language plpgsql security definer set search_path = public, pg_temp set timezone = 'UTC' as $$
declare
  row_is constant text := case tg_table_name when 'api_key_secrets' then 'hash' else 'id' end;
  about constant text := case tg_table_name
    when 'plans' then 'null, changed.id'
    when 'api_keys' then 'changed.id, null'
    else 'changed.api_key_id, null' end;
  was text;
  is_now text;
  changes text;
begin
  if tg_op = 'INSERT' then
    was := 'null';
    is_now := $sql$jsonb_strip_nulls(to_jsonb(changed) - 'hash')$sql$;
    changes := 'new_rows as changed';
  elsif tg_op = 'DELETE' then
    was := $sql$jsonb_strip_nulls(to_jsonb(changed) - 'hash')$sql$;
    is_now := 'null';
    changes := 'old_rows as changed';
  else
    select
      string_agg(format(member, attname, 'before'), ' || ' order by attnum),
      string_agg(format(member, attname, 'changed'), ' || ' order by attnum)
      into was, is_now
      from
        pg_attribute,
        (values ('case when %1$L = ''prefix'' or before.%1$I is distinct from changed.%1$I then jsonb_build_object(%1$L, %2$I.%1$I) else ''{}'' end')) as t (member)
      where attrelid = tg_relid and attnum > 0 and not attisdropped and attname <> 'hash';
    changes := format(
      'new_rows as changed join old_rows as before using (%I) where before is distinct from changed', row_is);
  end if;
  execute format(
    'insert into audit_log (changed_at, role, actor, application, action, table_name, api_key_id, plan_id, old, new)
     select $1, $2, $3, $4, $5, $6, %s, %s, %s from %s', about, was, is_now, changes)
  using
    clock_timestamp(),
    session_user,
    left(nullif(current_setting('petstore.actor', true), ''), 255),
    nullif(current_setting('application_name'), ''),
    lower(tg_op collate "C"),
    tg_table_name;
  return null;
end
$$;

comment on function audit_changes is 'Logs a statement''s changes in audit_log.';

revoke execute on function audit_changes() from public;
