-- Callers may choose ids, so a single row far ahead must not extend the run. A run of used ids continues while at least one in 64
-- is used: in the next 64, the 64 after them, then 128, 256 and so on, of which at most one in 64 is read.
create or replace function end_of_used_ids(of_table text, after bigint) returns bigint
language plpgsql volatile
set enable_seqscan = off
set enable_bitmapscan = off
set search_path = public, pg_temp
as $$
declare
  -- Pets also use category ids. One query per index.
  sources constant text[] := case of_table
    when 'categories' then array[
      'select id from categories',
      'select category_id from pets where status is not null',
      'select category_id from pets where status is null']
    else array[format('select id from %I', of_table)]
  end;
  run bigint := 0;
  longer bigint := 64;
  goes_on boolean;
  used_end bigint;
begin
  while after <= 9223372036854775807 - longer loop
    for source in 1..cardinality(sources) loop
      execute format(
        case source
          when 1 then 'select count(*) = $3 from (select from (%s) as used (id) where id > $1 and id <= $2 limit $3) as found'
          -- Many pets may share a number: skip to the next one.
          else
            'with recursive used (id) as (
               select min(id) from (%1$s) as first (id) where id > $1 and id <= $2
               union all
               select (select min(id) from (%1$s) as next (id) where id > used.id and id <= $2) from used where id is not null)
             select count(id) = $3 from (select id from used limit $3) as found'
        end,
        sources[source])
        into goes_on using after + run, after + longer, (longer - run) / 64;
      exit when goes_on;
    end loop;
    exit when not goes_on;
    run := longer;
    longer := 2 * longer;
  end loop;
  execute (
    select format('select greatest(%s)', string_agg(format('(select max(id) from (%s) as used (id) where id > $1 and id <= $2)', source), ', '))
    from unnest(sources) as source)
    into used_end using after, after + run;
  return used_end;
end
$$;

comment on function end_of_used_ids is
  'The end of the run of used ids after the given one, in which at least one in 64 ids is used; null if the next 64 are free.';

revoke execute on function end_of_used_ids(text, bigint) from public;
