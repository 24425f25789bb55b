comment on table pets is 'The pets of the store.';
comment on column pets.category_id is 'Any int64. The table categories names some.';
comment on column pets.status is 'Null if the pet has no status.';
