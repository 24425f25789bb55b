-- With the owner's rights: operators cannot insert secrets, so all are equally strong. Skips ids that are in use.
create or replace function issue_customer_api_keys(
  customers text[],
  names text[],
  plan text,
  per_minute integer default null,
  per_day integer default null,
  expires timestamptz default null,
  access api_key_access default 'write',
  per_month integer default null)
returns setof issued_api_key
language plpgsql volatile security definer rows 1000 set search_path = public, pg_temp as $$
#variable_conflict use_column
declare
  issued issued_api_key[];
  violated text;
begin
  if cardinality(customers) <> cardinality(names) then
    raise exception 'there are % customers for % names', cardinality(customers), cardinality(names)
      using errcode = 'invalid_parameter_value', hint = 'Pass a customer, or null, for each name.';
  end if;
  if expires <= statement_timestamp() then
    raise exception 'the expiry (%) is in the past', expires
      using errcode = 'invalid_parameter_value', hint = 'Pass a time in the future, or leave it out for a key that does not expire.';
  end if;
  loop
    begin
      with made as (
        insert into api_keys (customer, name, plan_id, requests_per_minute, requests_per_day, expires_at, access, requests_per_month)
        select customer, called, issue_customer_api_keys.plan, per_minute, per_day, expires, issue_customer_api_keys.access, per_month
        from unnest(customers, names) with ordinality as listed (customer, called, place)
        order by place
        returning api_keys as made_key
      ), issued_key as materialized (
        select made_key, (made_key).id, new_secret() as plain from made
      ), added as (
        insert into api_key_secrets (hash, api_key_id, prefix, created_at)
        select sha256(convert_to(plain, 'UTF8')), id, left(plain, 12), clock_timestamp()
        from issued_key
      )
      select array_agg(
        row(i.id, plain, (made_key).name, left(plain, 12), p.id, minute_limit(made_key, p), day_limit(made_key, p), (made_key).expires_at)::issued_api_key
        order by i.id)
        into issued
        from issued_key i
        join plans p on p.id = (made_key).plan_id;
      return query select * from unnest(issued);
      return;
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
end
$$;

comment on function issue_customer_api_keys is
  'Issues a key for each name and customer (or null), in input order, and returns them, once: select * from issue_customer_api_keys(array[''crm-7'', ''crm-8''], array[''Acme'', ''Globex''], plan => ''pro'').';

revoke execute on function issue_customer_api_keys(text[], text[], text, integer, integer, timestamptz, api_key_access, integer) from public;
