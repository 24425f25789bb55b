create or replace function extend_api_key_overlap(id bigint, overlap interval default '24 hours') returns api_key_overview
language plpgsql volatile set search_path = public, pg_temp as $$
#variable_conflict use_column
declare
  present constant timestamptz := statement_timestamp();
  extending constant api_key_overview := api_key_overview_of(extend_api_key_overlap.id);
begin
  if overlap is null or overlap <= interval '0' then
    raise exception 'invalid overlap %', coalesce(overlap::text, 'null')
      using errcode = 'invalid_parameter_value', hint = 'Pass a duration, such as ''24 hours''.';
  end if;
  if extending.revoked_at is not null then
    raise exception 'key % is revoked', extending.id
      using errcode = 'invalid_parameter_value', hint = 'Issue a new key instead: select * from issue_api_key(…), or petstore keys issue.';
  end if;
  if exists (select from api_keys where id = extending.id and expires_at <= present) then
    raise exception 'key % has expired', extending.id
      using errcode = 'invalid_parameter_value',
            hint = format(
              'Change its expiry first: select * from set_api_key_expiry(%1$s, null), or petstore keys set-expiry %1$s never.', extending.id);
  end if;
  update api_key_secrets
  set expires_at = greatest(expires_at, present + overlap)
  where api_key_id = extending.id and expires_at > clock_timestamp();
  if not found then
    raise exception 'key % has no old secret that still works', extending.id
      using errcode = 'invalid_parameter_value',
        hint = 'An expired secret cannot be extended. To add one: select * from rotate_api_key(id), or petstore keys rotate ID.';
  end if;
  return api_key_overview_of(extending.id);
end
$$;

comment on function extend_api_key_overlap is
  'Extends the old secrets of a rotation that still work, counted from now: select * from extend_api_key_overlap(7, overlap => ''24 hours'').';

revoke execute on function extend_api_key_overlap(bigint, interval) from public;
