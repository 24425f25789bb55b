-- The functions of operators. Each returns the key or plan after the change. Plain updates do the same, but the functions
-- prevent mistakes. They lock the row of the key until the transaction ends. Times are statement_timestamp(), because now()
-- stands still in an open transaction.
--
-- 1. secrets
-- 2. keys
-- 3. plans

-- Random base62 text. PostgreSQL draws the bytes of version 4 UUIDs from its strong random source.
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

-- The last six characters of a key: the CRC-32 (IEEE, reflected) of the characters before them, in base62.
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

-- Adds a secret to a key and returns the plain key, which is stored nowhere.
create function add_api_key_secret(key_id bigint) returns text
language plpgsql volatile strict set search_path = public, pg_temp as $$
declare
  body constant text := 'psk_' || random_base62(32);
  plain constant text := body || api_key_checksum(body);
begin
  -- Not now(), so that secrets added in one transaction have an order.
  insert into api_key_secrets (hash, api_key_id, prefix, created_at)
  values (sha256(convert_to(plain, 'UTF8')), key_id, left(plain, 12), clock_timestamp());
  return plain;
end
$$;

-- The result of issue_api_key. The limits are those in force.
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

-- Runs with the owner's rights: operators cannot insert secrets themselves, so that all are equally strong.
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
    raise exception 'expires (%) is in the past', expires
      using errcode = 'invalid_parameter_value', hint = 'Pass a time in the future, or omit expires.';
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
  'Issues a key and returns it, once: select * from issue_api_key(name => ''Acme web'', plan => ''pro'').';

-- Returns one row of api_key_overview, or fails if the key does not exist.
create function api_key_overview_of(key_id bigint) returns api_key_overview
language plpgsql volatile set search_path = public, pg_temp as $$
declare
  found_key api_key_overview;
begin
  select * into found_key from api_key_overview where api_key_overview.id = key_id;
  if not found then
    raise exception 'key % does not exist', coalesce(key_id::text, 'null')
      using errcode = 'no_data_found',
            hint = 'To find a key: select id, name, state from api_key_overview where name ilike ''%acme%''.';
  end if;
  return found_key;
end
$$;

create type rotated_api_key as (
  id bigint,
  key text,
  name text,
  prefix text,
  old_secrets_expire_at timestamptz
);

-- Runs with the owner's rights, like issue_api_key.
create function rotate_api_key(id bigint, overlap interval default '24 hours')
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
      using errcode = 'invalid_parameter_value', hint = 'Pass overlap => ''24 hours'', or ''0'' if the key has leaked.';
  end if;
  if rotating.revoked_at is not null then
    raise exception 'key % is revoked', rotating.id
      using errcode = 'invalid_parameter_value', hint = 'Issue a new key instead: select * from issue_api_key(…).';
  end if;
  if exists (select from api_keys where id = rotate_api_key.id and expires_at <= present) then
    raise exception 'key % has expired', rotating.id
      using errcode = 'invalid_parameter_value',
            hint = format('Change its expiry first: update api_keys set expires_at = null where id = %s.', rotating.id);
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

create function revoke_api_key(id bigint) returns api_key_overview
language plpgsql volatile set search_path = public, pg_temp as $$
#variable_conflict use_column
begin
  update api_keys set revoked_at = coalesce(revoked_at, statement_timestamp()) where id = revoke_api_key.id;
  return api_key_overview_of(revoke_api_key.id);
end
$$;

comment on function revoke_api_key is
  'Revokes a key and all its secrets permanently: select * from revoke_api_key(7).';

create function set_api_key_plan(
  id bigint,
  plan text,
  per_minute integer default null,
  per_day integer default null)
returns api_key_overview
language plpgsql volatile set search_path = public, pg_temp as $$
#variable_conflict use_column
begin
  update api_keys
  set plan_id = set_api_key_plan.plan, requests_per_minute = per_minute, requests_per_day = per_day
  where id = set_api_key_plan.id;
  return api_key_overview_of(set_api_key_plan.id);
end
$$;

comment on function set_api_key_plan is
  'Moves a key to another plan; without limits it gets those of the plan: select * from set_api_key_plan(7, ''business'').';

create function set_api_key_limits(id bigint, per_minute integer, per_day integer) returns api_key_overview
language plpgsql volatile set search_path = public, pg_temp as $$
#variable_conflict use_column
begin
  update api_keys
  set requests_per_minute = per_minute, requests_per_day = per_day
  where id = set_api_key_limits.id;
  return api_key_overview_of(set_api_key_limits.id);
end
$$;

comment on function set_api_key_limits is
  'Sets a key''s own limits; null means the limit of the plan: select * from set_api_key_limits(7, per_minute => 600, per_day => null).';

create function suspend_api_key(id bigint, until timestamptz default null, lasting interval default null)
returns api_key_overview
language plpgsql volatile set search_path = public, pg_temp as $$
#variable_conflict use_column
declare
  ends constant timestamptz := coalesce(suspend_api_key.until, statement_timestamp() + lasting, 'infinity');
begin
  if suspend_api_key.until is not null and lasting is not null then
    raise exception 'until and lasting cannot both be given'
      using errcode = 'invalid_parameter_value', hint = 'Pass one of them, or neither to suspend the key until resume_api_key(id).';
  end if;
  if ends <= statement_timestamp() then
    raise exception 'the end of the suspension (%) is in the past', ends
      using errcode = 'invalid_parameter_value', hint = 'To end a suspension: select * from resume_api_key(id).';
  end if;
  update api_keys set suspended_until = ends where id = suspend_api_key.id;
  return api_key_overview_of(suspend_api_key.id);
end
$$;

comment on function suspend_api_key is
  'Rejects all requests of a key for a time: select * from suspend_api_key(7, lasting => ''1 hour''), or until => ''2027-01-31 12:00Z''. Without either: until resume_api_key(7).';

create function resume_api_key(id bigint) returns api_key_overview
language plpgsql volatile set search_path = public, pg_temp as $$
#variable_conflict use_column
begin
  update api_keys set suspended_until = null where id = resume_api_key.id;
  return api_key_overview_of(resume_api_key.id);
end
$$;

comment on function resume_api_key is 'Ends the suspension of a key; a ban stays in force: select * from resume_api_key(7).';

create function unban_api_key(id bigint) returns api_key_overview
language plpgsql volatile set search_path = public, pg_temp as $$
#variable_conflict use_column
begin
  update api_keys
  set bans_lifted_at = greatest(bans_lifted_at, statement_timestamp())
  where id = unban_api_key.id;
  return api_key_overview_of(unban_api_key.id);
end
$$;

comment on function unban_api_key is
  'Lifts the ban of a key and forgets its earlier bans; a suspension stays in force: select * from unban_api_key(7).';

create function create_plan(
  id text,
  per_minute integer default null,
  per_day integer default null,
  custom boolean default false)
returns plan_overview
language plpgsql volatile set search_path = public, pg_temp as $$
#variable_conflict use_column
declare
  result plan_overview;
begin
  insert into plans (id, requests_per_minute, requests_per_day, custom)
  values (create_plan.id, per_minute, per_day, coalesce(create_plan.custom, false))
  on conflict (id) do nothing;
  if not found then
    raise exception 'plan "%" already exists', create_plan.id
      using errcode = 'unique_violation', hint = 'To change it: select * from set_plan(…).';
  end if;
  select * into strict result from plan_overview where plan_overview.id = create_plan.id;
  return result;
end
$$;

comment on function create_plan is
  'Creates a plan: select * from create_plan(''startup'', per_minute => 600, per_day => 50000). With custom => true the plan has no limits and each of its keys has its own.';

create function set_plan(
  id text,
  per_minute integer default null,
  per_day integer default null,
  custom boolean default null)
returns plan_overview
language plpgsql volatile set search_path = public, pg_temp as $$
#variable_conflict use_column
declare
  result plan_overview;
begin
  update plans
  set
    custom = coalesce(set_plan.custom, custom),
    requests_per_minute = coalesce(per_minute, case when not coalesce(set_plan.custom, custom) then requests_per_minute end),
    requests_per_day = coalesce(per_day, case when not coalesce(set_plan.custom, custom) then requests_per_day end)
  where id = set_plan.id;
  if not found then
    raise exception 'plan "%" does not exist', set_plan.id
      using errcode = 'no_data_found',
            hint = 'To see the plans: select * from plan_overview. To create one: select * from create_plan(…).';
  end if;
  select * into strict result from plan_overview where plan_overview.id = set_plan.id;
  return result;
end
$$;

comment on function set_plan is
  'Changes a plan; arguments that you omit stay unchanged: select * from set_plan(''pro'', per_minute => 600).';

-- prisma/roles.sql grants them to operators.
revoke execute on function
  random_base62(integer), api_key_checksum(text), add_api_key_secret(bigint),
  issue_api_key(text, text, integer, integer, timestamptz), rotate_api_key(bigint, interval),
  api_key_overview_of(bigint), revoke_api_key(bigint), set_api_key_plan(bigint, text, integer, integer),
  set_api_key_limits(bigint, integer, integer), suspend_api_key(bigint, timestamptz, interval),
  resume_api_key(bigint), unban_api_key(bigint), create_plan(text, integer, integer, boolean),
  set_plan(text, integer, integer, boolean) from public;
