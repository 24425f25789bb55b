create or replace function issue_customer_api_key(
  customer text,
  name text,
  plan text,
  per_minute integer default null,
  per_day integer default null,
  expires timestamptz default null,
  access api_key_access default 'write',
  per_month integer default null)
returns issued_api_key
language plpgsql volatile security definer set search_path = public, pg_temp as $$
begin
  perform reject_second_secret(concat_ws(' of ', quote_ident(name), quote_ident(customer)), 'issue_customer');
  return (
    select issued
    from issue_customer_api_keys(array[customer], array[name], plan, per_minute, per_day, expires, access, per_month) as issued);
end
$$;

comment on function issue_customer_api_key is
  'Issues a key of a customer, by the customer''s id elsewhere, and returns it, once: select * from issue_customer_api_key(''crm-7'', ''Acme web'', ''pro'').';

revoke execute on function issue_customer_api_key(text, text, text, integer, integer, timestamptz, api_key_access, integer) from public;
