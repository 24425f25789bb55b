-- Admission then only updates and never races to insert. It has the owner's rights, because operators insert keys but may not write counters.
create or replace function make_api_key_counters() returns trigger
language plpgsql security definer set search_path = public, pg_temp as $$
begin
  insert into api_key_counters (api_key_id) select id from made on conflict (api_key_id) do nothing;
  return null;
end
$$;

comment on function make_api_key_counters is 'Adds the row of api_key_counters of each new key.';

revoke execute on function make_api_key_counters() from public;
