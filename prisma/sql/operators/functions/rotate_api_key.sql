-- With the owner's rights, like issue_api_key.
create or replace function rotate_api_key(id bigint, overlap interval default '24 hours')
returns rotated_api_key
language plpgsql volatile security definer set search_path = public, pg_temp as $$
#variable_conflict use_column
declare
  present constant timestamptz := statement_timestamp();
  rotating api_key_overview;
  rotated rotated_api_key;
begin
  -- Serialises the rotations of a key, so that each ends the secrets of the one before.
  perform from api_keys where id = rotate_api_key.id for no key update;
  rotating := api_key_overview_of(rotate_api_key.id);
  if overlap is null or overlap < interval '0' then
    raise exception 'invalid overlap %', coalesce(overlap::text, 'null')
      using errcode = 'invalid_parameter_value', hint = 'Pass ''24 hours'', or ''0'' if the key has leaked.';
  end if;
  if rotating.revoked_at is not null then
    raise exception 'key % is revoked', rotating.id
      using errcode = 'invalid_parameter_value', hint = 'Issue a new key instead: select * from issue_api_key(…), or petstore keys issue.';
  end if;
  if exists (select from api_keys where id = rotate_api_key.id and expires_at <= present) then
    raise exception 'key % has expired', rotating.id
      using errcode = 'invalid_parameter_value',
            hint = format(
              'Change its expiry first: select * from set_api_key_expiry(%1$s, null), or petstore keys set-expiry %1$s never.', rotating.id);
  end if;
  with ending as (
    update api_key_secrets
    set expires_at = least(expires_at, present + overlap)
    where api_key_id = rotate_api_key.id and (expires_at is null or expires_at > present)
    returning expires_at)
  select max(expires_at) into rotated.old_secrets_expire_at from ending;
  rotated.id := rotating.id;
  rotated.name := rotating.name;
  rotated.key := add_api_key_secret(rotating.id);
  rotated.prefix := left(rotated.key, 12);
  return rotated;
end
$$;

comment on function rotate_api_key is
  'Adds a secret to a key and returns it, once. The old secrets work for the overlap: select * from rotate_api_key(7, overlap => ''24 hours''); ''0'' ends them now.';

revoke execute on function rotate_api_key(bigint, interval) from public;
