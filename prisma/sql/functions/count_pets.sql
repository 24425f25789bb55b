-- Triggers keep the counts exact in the transaction of each change, so that no query has to count millions of rows.
--
-- With a single row, writers would wait for each other. So the counts are the sum of *slots*: each statement adds its difference to a slot
-- that no other transaction is writing. It finds one by trying advisory locks, without waiting. There are as many slots as there were
-- concurrent writers. Counts of a slot may be negative: a pet may be added in one slot and removed in another.
--
-- A row version that was updated away remains while any old snapshot might read it, for hours if a report runs that long. Therefore the
-- version is part of the primary key: the newest version of a slot ends its index range, so reads and writes skip
-- the dead ones.
--
-- It has the owner's rights, because a role that writes pets could block all writers by a row of the largest version.
create or replace function count_pets() returns trigger
language plpgsql security definer
-- While the table is small, a sequential scan looks cheap, and sessions cache their plans.
set enable_seqscan = off
set enable_bitmapscan = off
set search_path = public, pg_temp
as $$
declare
  available_more bigint;
  pending_more bigint;
  sold_more bigint;
  free_slot integer := 0;
begin
  if tg_op = 'INSERT' then
    select count(*) filter (where status = 'available'),
           count(*) filter (where status = 'pending'),
           count(*) filter (where status = 'sold')
    into available_more, pending_more, sold_more
    from new_pets;
  elsif tg_op = 'DELETE' then
    select -count(*) filter (where status = 'available'),
           -count(*) filter (where status = 'pending'),
           -count(*) filter (where status = 'sold')
    into available_more, pending_more, sold_more
    from old_pets;
  else
    select coalesce(sum(more) filter (where status = 'available'), 0),
           coalesce(sum(more) filter (where status = 'pending'), 0),
           coalesce(sum(more) filter (where status = 'sold'), 0)
    into available_more, pending_more, sold_more
    from (select status, 1 as more from new_pets union all select status, -1 from old_pets) as changed;
  end if;
  if available_more = 0 and pending_more = 0 and sold_more = 0 then
    return null;
  end if;

  while not pg_try_advisory_xact_lock(hashtext('pet_counts'), free_slot) loop
    free_slot := free_slot + 1;
  end loop;
  update pet_counts
  set version = version + 1,
      available = available + available_more,
      pending = pending + pending_more,
      sold = sold + sold_more
  where slot = free_slot
    and version = (select version from pet_counts where slot = free_slot order by version desc limit 1);
  if not found then
    -- A transaction that cannot see the slot, because its snapshot is older, fails here and can be tried again.
    insert into pet_counts values (free_slot, 0, 0, 0, 0) on conflict do nothing;
    insert into pet_counts values (free_slot, 1, available_more, pending_more, sold_more);
  end if;
  return null;
end
$$;

comment on function count_pets is 'Adds a statement''s changes to pet_counts.';

revoke execute on function count_pets() from public;
