-- It tries ids that are 64, 128, 256, … ahead: ten million rows in sequence take 18 look-ups, and a single row with the largest id none.
-- Concurrent calls wait for each other, and the later ones find nothing to do. The sequence never moves back: its short steps are those
-- of nextval, and during a long one other sessions do not take a thousand ids.
create or replace function skip_used_ids(of_table text) returns bigint
language plpgsql volatile security definer set search_path = public, pg_temp as $$
declare
  used_sequence regclass;
  last bigint;
  step bigint := 0;
begin
  if not exists (select from drawn_ids() where table_name = of_table) then
    raise exception 'unknown table "%"', of_table using
      errcode = 'invalid_parameter_value',
      hint = format('The tables are %s.', (select string_agg(table_name, ', ' order by table_name) from drawn_ids()));
  end if;
  perform pg_advisory_xact_lock(hashtext('skip_used_ids'), hashtext(of_table));
  used_sequence := pg_get_serial_sequence(quote_ident(of_table), 'id');
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
  'Moves the sequence of a table past ids that rows have already: select skip_used_ids(''pets''). Returns the last id that is skipped.';

revoke execute on function skip_used_ids(text) from public;
