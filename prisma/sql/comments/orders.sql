comment on table orders is
  'The orders of the store. Only status can change, one transition at a time: placed, approved, delivered; or cancelled before delivery. Triggers update the status of the pet.';
comment on column orders.updated_at is 'When the status last changed; set by a trigger.';
comment on index orders_open_pet_id_key is 'A pet has at most one open order (placed or approved).';
comment on column orders.status is 'placed, approved, delivered or cancelled.';
