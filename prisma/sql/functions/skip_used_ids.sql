-- Skips a million consecutive rows at once, but not to a single row far ahead: at most 64 ids per id that it passes. It ends at
-- the id of a row.
-- Concurrent calls wait for each other, and the later ones find nothing to do. The sequence never moves back: short steps use
-- nextval, and other sessions do not take a thousand ids during a long one.
create or replace function skip_used_ids(of_table text) returns bigint
language plpgsql volatile security definer set search_path = public, pg_temp as $$
declare
  used_sequence regclass;
  last bigint;
  used_end bigint;
begin
  if not exists (select from drawn_ids() where table_name = of_table) then
    raise exception 'unknown table "%"', of_table using
      errcode = 'invalid_parameter_value',
      hint = format('The tables are %s.', (select string_agg(table_name, ', ' order by table_name) from drawn_ids()));
  end if;
  perform pg_advisory_xact_lock(hashtext('skip_used_ids'), hashtext(of_table));
  used_sequence := pg_get_serial_sequence(quote_ident(of_table), 'id');
  last := nextval(used_sequence);
  loop
    used_end := end_of_used_ids(of_table, last);
    exit when used_end is null;
    last := nextval(used_sequence);
    if used_end - last > 1024 then
      last := setval(used_sequence, used_end);
    else
      while last < used_end loop
        last := nextval(used_sequence);
      end loop;
    end if;
  end loop;
  return last;
end
$$;

comment on function skip_used_ids is
  'Moves the sequence of a table past ids that are in use: select skip_used_ids(''pets''). Returns the last skipped id.';

revoke execute on function skip_used_ids(text) from public;
