create or replace function resume_api_key(id bigint) returns api_key_overview
language plpgsql volatile set search_path = public, pg_temp as $$
#variable_conflict use_column
begin
  update api_keys set suspended_until = null where id = resume_api_key.id;
  return api_key_overview_of(resume_api_key.id);
end
$$;

comment on function resume_api_key is 'Ends the suspension of a key; a ban stays in force: select * from resume_api_key(7).';

revoke execute on function resume_api_key(bigint) from public;
