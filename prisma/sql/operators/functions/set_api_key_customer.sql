create or replace function set_api_key_customer(id bigint, customer text) returns api_key_overview
language plpgsql volatile set search_path = public, pg_temp as $$
#variable_conflict use_column
begin
  update api_keys set customer = set_api_key_customer.customer where id = set_api_key_customer.id;
  return api_key_overview_of(set_api_key_customer.id);
end
$$;

comment on function set_api_key_customer is
  'Sets the customer of a key, or null; its usage stays with it: select * from set_api_key_customer(7, ''crm-4711'').';

revoke execute on function set_api_key_customer(bigint, text) from public;
