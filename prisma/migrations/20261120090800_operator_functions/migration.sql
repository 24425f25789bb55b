-- What operators do, each by one call that answers with what it made of the key or the plan. All of it can also be done by
-- plain update; the functions are harder to get wrong. They lock the one row of the key, for the length of the transaction.
-- Times are those of the statement: in an open transaction now() is long ago.

create function api_key_overview_of(key_id bigint) returns api_key_overview
language plpgsql volatile set search_path = public, pg_temp as $$
declare
  found_key api_key_overview;
begin
  select * into found_key from api_key_overview where api_key_overview.id = key_id;
  if not found then
    raise exception 'there is no key %', coalesce(key_id::text, 'without an id')
      using errcode = 'no_data_found',
            hint = 'Look for it: select id, name, state from api_key_overview where name ilike ''%acme%''.';
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

-- With the owner's rights, as issue_api_key.
create function rotate_api_key(id bigint, overlap interval default '24 hours')
returns rotated_api_key
language plpgsql volatile security definer set search_path = public, pg_temp as $$
#variable_conflict use_column
declare
  present constant timestamptz := statement_timestamp();
  rotating api_key_overview;
  rotated rotated_api_key;
begin
  -- One rotation of a key after the other, so that each ends the secrets of the one before.
  perform from api_keys where id = rotate_api_key.id for no key update;
  rotating := api_key_overview_of(rotate_api_key.id);
  if overlap is null or overlap < interval '0' then
    raise exception 'the overlap cannot be %', coalesce(overlap::text, 'null')
      using errcode = 'invalid_parameter_value', hint = 'Give overlap => ''24 hours'', or ''0'' when the key has leaked.';
  end if;
  if rotating.revoked_at is not null then
    raise exception 'key % is revoked: a new secret would not work', rotating.id
      using errcode = 'invalid_parameter_value', hint = 'Issue another key: select * from issue_api_key(…).';
  end if;
  if exists (select from api_keys where id = rotate_api_key.id and expires_at <= present) then
    raise exception 'key % has expired: a new secret would not work', rotating.id
      using errcode = 'invalid_parameter_value',
            hint = format('Let it live longer first: update api_keys set expires_at = null where id = %s.', rotating.id);
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
  'Makes a second secret of a key and shows it, once. The older ones work for the overlap: select * from rotate_api_key(7, overlap => ''24 hours''); ''0'' ends them at once.';

create function revoke_api_key(id bigint) returns api_key_overview
language plpgsql volatile set search_path = public, pg_temp as $$
#variable_conflict use_column
begin
  update api_keys set revoked_at = coalesce(revoked_at, statement_timestamp()) where id = revoke_api_key.id;
  return api_key_overview_of(revoke_api_key.id);
end
$$;

comment on function revoke_api_key is
  'Ends a key for good, all its secrets, from the next request on: select * from revoke_api_key(7).';

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
  'Moves a key to another plan, with the plan''s limits unless others are given: select * from set_api_key_plan(7, ''business'').';

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
  'Gives a key its own limits, null for the plan''s: select * from set_api_key_limits(7, per_minute => 600, per_day => null).';

create function suspend_api_key(id bigint, until timestamptz default null, lasting interval default null)
returns api_key_overview
language plpgsql volatile set search_path = public, pg_temp as $$
#variable_conflict use_column
declare
  ends constant timestamptz := coalesce(suspend_api_key.until, statement_timestamp() + lasting, 'infinity');
begin
  if suspend_api_key.until is not null and lasting is not null then
    raise exception 'a suspension ends once'
      using errcode = 'invalid_parameter_value', hint = 'Give until or lasting, or neither: until resume_api_key(id).';
  end if;
  if ends <= statement_timestamp() then
    raise exception 'a suspension until % would be over', ends
      using errcode = 'invalid_parameter_value', hint = 'To end a suspension: select * from resume_api_key(id).';
  end if;
  update api_keys set suspended_until = ends where id = suspend_api_key.id;
  return api_key_overview_of(suspend_api_key.id);
end
$$;

comment on function suspend_api_key is
  'Has every request of a key refused for a while: select * from suspend_api_key(7, lasting => ''1 hour''), or until => ''2027-01-31 12:00Z'', or neither: until resume_api_key(7).';

create function resume_api_key(id bigint) returns api_key_overview
language plpgsql volatile set search_path = public, pg_temp as $$
#variable_conflict use_column
begin
  update api_keys set suspended_until = null where id = resume_api_key.id;
  return api_key_overview_of(resume_api_key.id);
end
$$;

comment on function resume_api_key is 'Ends a suspension; a ban goes on: select * from resume_api_key(7).';

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
  'Lifts the bans of a key up to now, which make the next one no longer, either; a suspension goes on: select * from unban_api_key(7).';

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
    insert into plans (id, requests_per_minute, requests_per_day, custom)
    values (set_plan.id, per_minute, per_day, coalesce(set_plan.custom, false));
  end if;
  select * into strict result from plan_overview where plan_overview.id = set_plan.id;
  return result;
end
$$;

comment on function set_plan is
  'Makes a plan, or changes what is given of one: select * from set_plan(''pro'', per_minute => 600). With custom => true each of its keys carries its own limits.';

revoke execute on function
  api_key_overview_of(bigint), rotate_api_key(bigint, interval), revoke_api_key(bigint),
  set_api_key_plan(bigint, text, integer, integer), set_api_key_limits(bigint, integer, integer),
  suspend_api_key(bigint, timestamptz, interval), resume_api_key(bigint), unban_api_key(bigint),
  set_plan(text, integer, integer, boolean) from public;
