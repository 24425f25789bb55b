-- Operators build it concurrently on large databases, before the release.
-- squawk-ignore require-concurrent-index-creation
create index if not exists orders_status_pet_id_id_idx on orders (status, pet_id, id);
