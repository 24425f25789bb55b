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

-- Adds a secret to a key and returns the plain key, which is not stored anywhere.
create function add_api_key_secret(key_id bigint) returns text
language plpgsql volatile strict as $$
declare
  body constant text := 'psk_' || random_base62(32);
  plain constant text := body || api_key_checksum(body);
begin
  insert into api_key_secrets (hash, api_key_id, prefix)
  values (sha256(convert_to(plain, 'UTF8')), key_id, left(plain, 12));
  return plain;
end
$$;

create function issue_api_key(
  name text,
  plan text,
  per_minute integer default null,
  per_day integer default null,
  expires timestamptz default null)
returns table (id bigint, key text, plan_id text, requests_per_minute integer, requests_per_day integer, expires_at timestamptz)
language plpgsql volatile as $$
#variable_conflict use_column
declare
  chosen plans;
  key_id bigint;
begin
  select * into chosen from plans where plans.id = issue_api_key.plan;
  if not found then
    raise exception 'there is no plan "%"', issue_api_key.plan
      using errcode = 'foreign_key_violation',
            hint = 'The plans are: ' || (select string_agg(plans.id, ', ' order by plans.id) from plans) || '.';
  end if;
  if chosen.custom and (per_minute is null or per_day is null) then
    raise exception 'the plan "%" is custom: its keys need both per_minute and per_day', chosen.id
      using errcode = 'check_violation';
  end if;
  insert into api_keys (name, plan_id, plan_custom, requests_per_minute, requests_per_day, expires_at)
  values (issue_api_key.name, chosen.id, chosen.custom, per_minute, per_day, expires)
  returning api_keys.id into key_id;
  return query
    select key_id, add_api_key_secret(key_id), chosen.id,
           coalesce(per_minute, chosen.requests_per_minute), coalesce(per_day, chosen.requests_per_day), expires;
end
$$;

comment on function issue_api_key is
  'Makes a key and shows it, once: select * from issue_api_key(name => ''Acme web'', plan => ''pro'').';
