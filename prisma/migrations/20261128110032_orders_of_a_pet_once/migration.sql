-- The index on (pet_id, id) serves its look-ups. A moment, in a migration of its own.
-- squawk-ignore require-concurrent-index-deletion
drop index if exists orders_pet_id_idx;
