create or replace function issue_api_key(
  name text,
  plan text,
  per_minute integer default null,
  per_day integer default null,
  expires timestamptz default null,
  per_month integer default null)
returns issued_api_key
language plpgsql volatile security definer set search_path = public, pg_temp as $$
begin
  perform reject_second_secret(quote_ident(name), 'issue');
  return (select issued from issue_api_keys(array[name], plan, per_minute, per_day, expires, per_month => per_month) as issued);
end
$$;

comment on function issue_api_key is
  'Issues a key and returns it, once: select * from issue_api_key(name => ''Acme web'', plan => ''pro'').';

revoke execute on function issue_api_key(text, text, integer, integer, timestamptz, integer) from public;
