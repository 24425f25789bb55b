-- Records each change to a key, secret or plan: by whom, when, and the old and new values. Triggers write it with the owner's
-- rights, once per statement, so that a change to a million keys is one call. No role may change it.

create table audit_log (
  id bigint generated always as identity,
  changed_at timestamptz(6) not null,
  role text not null,
  actor text,
  application text,
  action text not null,
  table_name text not null,
  api_key_id bigint,
  plan_id text,
  old jsonb,
  new jsonb,
  constraint audit_log_pkey primary key (id),
  constraint audit_log_action_known check (action in ('insert', 'update', 'delete'))
);

create index audit_log_api_key_id_idx on audit_log (api_key_id);

comment on table audit_log is 'Every change to keys, secrets and plans. Append-only.';
comment on column audit_log.changed_at is 'When the statement ended; its transaction committed later.';
comment on column audit_log.role is 'The role that logged in to the database.';
comment on column audit_log.actor is 'The person on whose behalf the role acted, set with set_config(''petstore.actor'', …). The command line sets the user of the operating system.';
comment on column audit_log.application is 'The application_name of the connection.';
comment on column audit_log.old is 'The old values of the changed columns; all non-null values of a deleted row. Without hashes.';
comment on column audit_log.new is 'The new values of the changed columns; all non-null values of an inserted row. Without hashes.';

create trigger audit_log_only_added_to
  before update or delete or truncate on audit_log
  for each statement execute function reject_change(
    'the audit log is append-only', 'The owner can disable this trigger to delete old entries.');

-- One insert per statement. Old and new rows are joined by the column that never changes. An update that changes no value is
-- not recorded. The changed columns come from one expression per column, which takes a third of the time of comparing
-- the rows as jsonb.
create function audit_changes() returns trigger
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
        (values ('case when before.%1$I is distinct from changed.%1$I then jsonb_build_object(%1$L, %2$I.%1$I) else ''{}'' end')) as t (member)
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
    nullif(current_setting('petstore.actor', true), ''),
    nullif(current_setting('application_name'), ''),
    lower(tg_op),
    tg_table_name;
  return null;
end
$$;

revoke execute on function audit_changes() from public;

create trigger plans_audit_insert after insert on plans
  referencing new table as new_rows for each statement execute function audit_changes();
create trigger plans_audit_update after update on plans
  referencing old table as old_rows new table as new_rows for each statement execute function audit_changes();
create trigger plans_audit_delete after delete on plans
  referencing old table as old_rows for each statement execute function audit_changes();

-- Keys and secrets are never deleted.
create trigger api_keys_audit_insert after insert on api_keys
  referencing new table as new_rows for each statement execute function audit_changes();
create trigger api_keys_audit_update after update on api_keys
  referencing old table as old_rows new table as new_rows for each statement execute function audit_changes();
create trigger api_key_secrets_audit_insert after insert on api_key_secrets
  referencing new table as new_rows for each statement execute function audit_changes();
create trigger api_key_secrets_audit_update after update on api_key_secrets
  referencing old table as old_rows new table as new_rows for each statement execute function audit_changes();
