create or replace function suspend_api_key(id bigint, until timestamptz default null, lasting interval default null)
returns api_key_overview
language plpgsql volatile set search_path = public, pg_temp as $$
#variable_conflict use_column
declare
  ends constant timestamptz := coalesce(suspend_api_key.until, statement_timestamp() + lasting, 'infinity');
begin
  if suspend_api_key.until is not null and lasting is not null then
    raise exception 'until and lasting cannot both be given'
      using errcode = 'invalid_parameter_value', hint = 'Pass one of them, or neither to suspend the key until it is resumed.';
  end if;
  if ends <= statement_timestamp() then
    raise exception 'the end of the suspension (%) is in the past', ends
      using errcode = 'invalid_parameter_value', hint = 'To end a suspension: select * from resume_api_key(id), or petstore keys resume ID.';
  end if;
  update api_keys set suspended_until = ends where id = suspend_api_key.id;
  return api_key_overview_of(suspend_api_key.id);
end
$$;

comment on function suspend_api_key is
  'Rejects all requests of a key for a time: select * from suspend_api_key(7, lasting => ''1 hour''), or until => ''2027-01-31 12:00Z''. Without either: until resume_api_key(7).';

revoke execute on function suspend_api_key(bigint, timestamptz, interval) from public;
