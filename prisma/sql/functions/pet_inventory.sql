create or replace function pet_inventory(out available bigint, out pending bigint, out sold bigint)
language plpgsql stable
set enable_seqscan = off
set enable_bitmapscan = off
set search_path = public, pg_temp
as $$
begin
  select coalesce(sum(newest.available), 0), coalesce(sum(newest.pending), 0), coalesce(sum(newest.sold), 0)
  into available, pending, sold
  from generate_series(0, (select slot from pet_counts order by slot desc, version desc limit 1)) as every (slot)
  cross join lateral (
    select * from pet_counts as part where part.slot = every.slot order by part.version desc limit 1) as newest;
end
$$;

comment on function pet_inventory is
  'The exact number of pets by status, from a few index look-ups: select * from pet_inventory().';
