create or replace function is_valid(key api_keys) returns boolean
language sql stable parallel safe
return key.revoked_at is null and coalesce(key.expires_at > present(), true);

comment on function is_valid(api_keys) is 'Whether a key is neither revoked nor expired. It may lack a valid secret.';

create or replace function is_valid(secret api_key_secrets) returns boolean
language sql stable parallel safe
return coalesce(secret.expires_at > present(), true);

comment on function is_valid(api_key_secrets) is 'Whether a secret has not expired.';
