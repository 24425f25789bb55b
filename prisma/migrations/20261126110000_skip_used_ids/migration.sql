-- Rows that were inserted with explicit ids, by an import or a logical replica, do not move the sequence of their table. Then new
-- rows fail with a duplicate key until the sequence has passed them.

-- Whether one of the next ids of a table is used: as many as two statements take.
create function next_ids_are_used(of_table text, after bigint) returns boolean
language plpgsql stable set search_path = public, pg_temp as $$
declare
  found_one boolean;
begin
  execute format('select exists (select from %I where id > $1 and id <= $1 + 64)', of_table) into found_one using after;
  return found_one;
end
$$;

comment on function next_ids_are_used is 'Whether a table has one of the 64 ids after the given one.';

-- It tries ids that are 64, 128, 256, … ahead: ten million rows in sequence take 18 look-ups, and a single row with the largest id none.
-- Concurrent calls wait for each other, and the later ones find nothing to do. The sequence never moves back: its short steps are those
-- of nextval, and during a long one other sessions do not take a thousand ids.
create function skip_used_ids(of_table text) returns bigint
language plpgsql volatile security definer set search_path = public, pg_temp as $$
declare
  used_sequence regclass;
  last bigint;
  step bigint := 0;
begin
  if of_table not in ('pets', 'orders', 'api_keys', 'audit_log') then
    raise exception 'unknown table "%"', of_table
      using errcode = 'invalid_parameter_value', hint = 'The tables are pets, orders, api_keys and audit_log.';
  end if;
  perform pg_advisory_xact_lock(hashtext('skip_used_ids'), hashtext(of_table));
  used_sequence := pg_get_serial_sequence(of_table, 'id');
  last := nextval(used_sequence);
  while next_ids_are_used(of_table, last + step) loop
    step := greatest(64, 2 * step);
    if last > 9223372036854775807 - 128 - step then
      raise exception 'no free id of % after %', of_table, last using errcode = 'sequence_generator_limit_exceeded';
    end if;
  end loop;
  if step > 1024 then
    perform setval(used_sequence, last + step);
  else
    perform nextval(used_sequence) from generate_series(1, step);
  end if;
  return last + step;
end
$$;

comment on function skip_used_ids is
  'Moves the sequence of pets, orders, api_keys or audit_log past ids that rows have already: select skip_used_ids(''pets''). Returns the last id that is skipped.';

revoke execute on function skip_used_ids(text) from public;

-- As before, but ids of the key and of its audit entry that are used already are skipped.
create or replace function issue_api_key(
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
  violated text;
begin
  if expires <= statement_timestamp() then
    raise exception 'expires (%) is in the past', expires
      using errcode = 'invalid_parameter_value', hint = 'Pass a time in the future, or omit expires.';
  end if;
  loop
    begin
      insert into api_keys (name, plan_id, requests_per_minute, requests_per_day, expires_at)
      values (issue_api_key.name, issue_api_key.plan, per_minute, per_day, expires)
      returning api_keys.id into key_id;
      exit;
    exception when unique_violation then
      get stacked diagnostics violated = constraint_name;
      if violated = 'api_keys_pkey' then
        perform skip_used_ids('api_keys');
      elsif violated = 'audit_log_pkey' then
        perform skip_used_ids('audit_log');
      else
        raise;
      end if;
    end;
  end loop;
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
