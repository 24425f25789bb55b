-- Plain SQL on keys and secrets gets the protection that the functions have, and the functions what only plain SQL could do.
--
-- 1. revocation and expiry
-- 2. one secret for each call
-- 3. the audit of secrets

-- A key is revoked as soon as it has a time of revocation. A clock may be a minute ahead.
create function reject_later_revocation() returns trigger
language plpgsql as $$
begin
  raise exception 'revoked_at (%) is in the future, but a key is revoked at once', new.revoked_at
    using errcode = 'check_violation', table = 'api_keys', column = 'revoked_at',
          hint = format('To end key %s later: select * from set_api_key_expiry(%s, expires => %L).', new.id, new.id, new.revoked_at);
end
$$;

create trigger api_keys_not_revoked_later
  before insert or update of revoked_at on api_keys
  for each row when (new.revoked_at > statement_timestamp() + interval '1 minute')
  execute function reject_later_revocation();

-- An expired secret may have been found in an old place. Not statement_timestamp(): another operator may end the secret while this
-- statement waits for its row.
create trigger api_key_secrets_not_revived
  before update of expires_at on api_key_secrets
  for each row when (
    old.expires_at <= clock_timestamp() and coalesce(new.expires_at, 'infinity') > old.expires_at)
  execute function reject_change(
    'an expired secret cannot be prolonged', 'To add a secret: select * from rotate_api_key(id).');

create function set_api_key_expiry(id bigint, expires timestamptz) returns api_key_overview
language plpgsql volatile set search_path = public, pg_temp as $$
#variable_conflict use_column
begin
  if expires <= statement_timestamp() then
    raise exception 'expires (%) is in the past', expires
      using errcode = 'invalid_parameter_value',
            hint = format('Pass a time in the future, or null for never. To end the key now: select * from revoke_api_key(%s).', set_api_key_expiry.id);
  end if;
  update api_keys set expires_at = expires where id = set_api_key_expiry.id;
  return api_key_overview_of(set_api_key_expiry.id);
end
$$;

comment on function set_api_key_expiry is
  'Sets when a key expires; null means never: select * from set_api_key_expiry(7, ''2027-01-31 00:00Z'').';

create function extend_api_key_overlap(id bigint, overlap interval default '24 hours') returns api_key_overview
language plpgsql volatile set search_path = public, pg_temp as $$
#variable_conflict use_column
declare
  present constant timestamptz := statement_timestamp();
  extending constant api_key_overview := api_key_overview_of(extend_api_key_overlap.id);
begin
  if overlap is null or overlap <= interval '0' then
    raise exception 'invalid overlap %', coalesce(overlap::text, 'null')
      using errcode = 'invalid_parameter_value', hint = 'Pass overlap => ''24 hours''.';
  end if;
  update api_key_secrets
  set expires_at = greatest(expires_at, present + overlap)
  where api_key_id = extending.id and expires_at > clock_timestamp();
  if not found then
    raise exception 'key % has no old secret that still works', extending.id
      using errcode = 'invalid_parameter_value', hint = 'An expired secret cannot be prolonged. To add a secret: select * from rotate_api_key(id).';
  end if;
  return api_key_overview_of(extending.id);
end
$$;

comment on function extend_api_key_overlap is
  'Lets the old secrets of a rotation that still work do so for longer, from now on: select * from extend_api_key_overlap(7, overlap => ''24 hours'').';

revoke execute on function
  reject_later_revocation(), set_api_key_expiry(bigint, timestamptz), extend_api_key_overlap(bigint, interval) from public;

-- As before, but "select (issue_api_key(…)).*", which calls the function once for each column, fails. The setting has a mark for each
-- secret that the present statement has added.
create or replace function add_api_key_secret(key_id bigint) returns text
language plpgsql volatile strict set search_path = public, pg_temp as $$
declare
  body constant text := 'psk_' || random_base62(32);
  plain constant text := body || api_key_checksum(body);
  is_first constant boolean := not exists (select from api_key_secrets where api_key_id = key_id);
  key_name constant text := (select name from api_keys where id = key_id);
  mark constant text := md5(case when is_first then key_name else key_id::text end) || ',';
  marks text := coalesce(current_setting('petstore.secrets_added', true), '');
begin
  if not starts_with(marks, statement_timestamp()::text) then
    marks := statement_timestamp()::text || ',';
  elsif strpos(marks, mark) > 0 then
    raise exception 'a second secret for % in one statement', case when is_first then quote_ident(key_name) else 'key ' || key_id end
      using errcode = 'cardinality_violation',
            hint = format(
              'Call the function once, after from: select * from %s_api_key(…). For several of them run several statements.',
              case when is_first then 'issue' else 'rotate' end);
  end if;
  perform set_config('petstore.secrets_added', marks || mark, true);
  -- Not now(), so that secrets added in one transaction have an order.
  insert into api_key_secrets (hash, api_key_id, prefix, created_at)
  values (sha256(convert_to(plain, 'UTF8')), key_id, left(plain, 12), clock_timestamp());
  return plain;
end
$$;

-- As before, but every entry about a secret has its prefix, which identifies it.
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
    nullif(current_setting('petstore.actor', true), ''),
    nullif(current_setting('application_name'), ''),
    lower(tg_op),
    tg_table_name;
  return null;
end
$$;
