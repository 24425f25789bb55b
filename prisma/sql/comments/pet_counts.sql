comment on table pet_counts is
  'Partial counts of pets by status; select * from pet_inventory() adds them up. Only triggers of pets write them.';
comment on column pet_counts.version is
  'Only the highest version of a slot counts. Version 0 never changes: it keeps a slot from being created twice.';
comment on column pet_counts.slot is 'Concurrent writers add to different slots.';
comment on column pet_counts.available is 'The part of this slot; it may be negative.';
comment on column pet_counts.pending is 'The part of this slot; it may be negative.';
comment on column pet_counts.sold is 'The part of this slot; it may be negative.';
