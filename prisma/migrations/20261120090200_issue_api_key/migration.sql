-- Issuing keys is a function of the database, so that SQL and the command line make the same keys.

-- Random base62 text. The bytes are those of version 4 UUIDs, which PostgreSQL draws from its strong random source.
create function random_base62(length integer) returns text
language plpgsql volatile strict parallel restricted as $$
declare
  digits constant text := '0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz';
  result text := '';
  bytes bytea;
  byte integer;
begin
  while char_length(result) < length loop
    bytes := uuid_send(gen_random_uuid());
    for position in 0..15 loop
      continue when position in (6, 8);   -- these hold the UUID's version and variant, not only random bits
      byte := get_byte(bytes, position);
      continue when byte >= 248;          -- 4 × 62: the rest would make the first eight digits likelier
      result := result || substr(digits, byte % 62 + 1, 1);
    end loop;
  end loop;
  return left(result, length);
end
$$;

-- The last six characters of a key: CRC-32 (IEEE, reflected) of what stands before them, in base62.
create function api_key_checksum(body text) returns text
language plpgsql immutable strict parallel safe as $$
declare
  digits constant text := '0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz';
  bytes constant bytea := convert_to(body, 'UTF8');
  crc bigint := 4294967295;
  result text := '';
begin
  for position in 0..octet_length(bytes) - 1 loop
    crc := crc # get_byte(bytes, position);
    for bit in 1..8 loop
      crc := case when crc & 1 = 1 then (crc >> 1) # 3988292384 else crc >> 1 end;
    end loop;
  end loop;
  crc := crc # 4294967295;
  for digit in 1..6 loop
    result := substr(digits, (crc % 62)::integer + 1, 1) || result;
    crc := crc / 62;
  end loop;
  return result;
end
$$;

-- What making a key shows. The limits are those in force.
create type issued_api_key as (
  id bigint,
  key text,
  name text,
  prefix text,
  plan_id text,
  requests_per_minute integer,
  requests_per_day integer,
  expires_at timestamptz
);

-- Adds a secret to a key and returns the plain key, which is not stored anywhere.
create function add_api_key_secret(key_id bigint) returns text
language plpgsql volatile strict set search_path = public, pg_temp as $$
declare
  body constant text := 'psk_' || random_base62(32);
  plain constant text := body || api_key_checksum(body);
begin
  -- The order of secrets made in one transaction shows, too.
  insert into api_key_secrets (hash, api_key_id, prefix, created_at)
  values (sha256(convert_to(plain, 'UTF8')), key_id, left(plain, 12), clock_timestamp());
  return plain;
end
$$;

-- With the owner's rights: operators make secrets by functions alone, so that each is as strong as the others.
create function issue_api_key(
  name text,
  plan text,
  per_minute integer default null,
  per_day integer default null,
  expires timestamptz default null)
returns issued_api_key
language plpgsql volatile security definer set search_path = public, pg_temp as $$
#variable_conflict use_column
declare
  key_id bigint;
  plain text;
  issued issued_api_key;
begin
  if expires <= statement_timestamp() then
    raise exception 'a key that expires at % would not work', expires
      using errcode = 'invalid_parameter_value', hint = 'Give expires a time to come, or leave it out.';
  end if;
  insert into api_keys (name, plan_id, requests_per_minute, requests_per_day, expires_at)
  values (issue_api_key.name, issue_api_key.plan, per_minute, per_day, expires)
  returning api_keys.id into key_id;
  plain := add_api_key_secret(key_id);
  select k.id, plain, k.name, left(plain, 12), p.id,
         coalesce(k.requests_per_minute, p.requests_per_minute), coalesce(k.requests_per_day, p.requests_per_day),
         k.expires_at
    into strict issued
    from api_keys k join plans p on p.id = k.plan_id
    where k.id = key_id;
  return issued;
end
$$;

comment on function issue_api_key is
  'Makes a key and shows it, once: select * from issue_api_key(name => ''Acme web'', plan => ''pro'').';

revoke execute on function random_base62(integer), api_key_checksum(text), add_api_key_secret(bigint),
  issue_api_key(text, text, integer, integer, timestamptz) from public;
