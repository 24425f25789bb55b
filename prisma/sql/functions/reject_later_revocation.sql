create or replace function reject_later_revocation() returns trigger
language plpgsql as $$
begin
  raise exception 'revoked_at (%) is in the future, but revocation is immediate', new.revoked_at
    using errcode = 'check_violation', table = 'api_keys', column = 'revoked_at',
          hint = format('To end key %s later: select * from set_api_key_expiry(%s, expires => %L).', new.id, new.id, new.revoked_at);
end
$$;

comment on function reject_later_revocation is
  'Rejects a revoked_at in the future: any value revokes a key immediately.';

revoke execute on function reject_later_revocation() from public;
