-- With the owner's rights: operators cannot insert secrets themselves, so that all are equally strong. Ids that are used already are skipped.
create or replace function issue_api_key(
  name text,
  plan text,
  per_minute integer default null,
  per_day integer default null,
  expires timestamptz default null)
returns issued_api_key
language plpgsql volatile security definer set search_path = public, pg_temp as $$
#variable_conflict use_column
declare
  key_id bigint;
  plain text;
  issued issued_api_key;
  violated text;
begin
  if expires <= statement_timestamp() then
    raise exception 'expires (%) is in the past', expires
      using errcode = 'invalid_parameter_value', hint = 'Pass a time in the future, or omit expires.';
  end if;
  loop
    begin
      insert into api_keys (name, plan_id, requests_per_minute, requests_per_day, expires_at)
      values (issue_api_key.name, issue_api_key.plan, per_minute, per_day, expires)
      returning api_keys.id into key_id;
      exit;
    exception when unique_violation then
      get stacked diagnostics violated = constraint_name;
      if violated = 'api_keys_pkey' then
        perform skip_used_ids('api_keys');
      elsif violated = 'audit_log_pkey' then
        perform skip_used_ids('audit_log');
      else
        raise;
      end if;
    end;
  end loop;
  plain := add_api_key_secret(key_id);
  select k.id, plain, k.name, left(plain, 12), p.id,
         minute_limit(k, p), day_limit(k, p), k.expires_at
    into strict issued
    from api_keys k join plans p on p.id = k.plan_id
    where k.id = key_id;
  return issued;
end
$$;

comment on function issue_api_key is
  'Issues a key and returns it, once: select * from issue_api_key(name => ''Acme web'', plan => ''pro'').';

revoke execute on function issue_api_key(text, text, integer, integer, timestamptz) from public;
