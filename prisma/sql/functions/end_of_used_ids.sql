-- Callers may choose numbers, so a row far ahead must not count as one that is in the way. Ids are in a run while one of 64 is used. Its end is
-- found in steps that double while the run goes on, each of which reads a row for 64 ids.
create or replace function end_of_used_ids(of_table text, after bigint) returns bigint
language plpgsql volatile
set enable_seqscan = off
set enable_bitmapscan = off
set search_path = public, pg_temp
as $$
declare
  -- Pets refer to numbers of categories, too. A query for each index.
  sources constant text[] := case of_table
    when 'categories' then array[
      'select id from categories',
      'select category_id from pets where status is not null',
      'select category_id from pets where status is null']
    else array[format('select id from %I', of_table)]
  end;
  last_id constant bigint := 9223372036854775807;
  step bigint := 64;
  goes_on boolean;
  used_end bigint;
begin
  while after <= last_id - 2 * step loop
    execute format(
      'select exists (select from %1$s where id > $1 + $2 and id <= $1 + 2 * $2)
         and (select count(*) from (select from %1$s where id > $1 and id <= $1 + 2 * $2 limit $2 / 32) as found) = $2 / 32',
      format('(%s) as used (id)', array_to_string(sources, ' union all ')))
      into goes_on using after, step;
    exit when not goes_on;
    step := 2 * step;
  end loop;
  execute (
    select format('select greatest(%s)', string_agg(format('(select max(id) from (%s) as used (id) where id > $1 and id <= $2)', source), ', '))
    from unnest(sources) as source)
    into used_end using after, after + least(step, last_id - after);
  return used_end;
end
$$;

comment on function end_of_used_ids is
  'The end of the run of used ids after the given one, in which one of 64 is used; null if the next 64 are free.';

revoke execute on function end_of_used_ids(text, bigint) from public;
