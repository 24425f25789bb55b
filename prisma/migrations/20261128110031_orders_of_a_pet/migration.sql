-- Operators build it concurrently on large databases, before the release.
-- squawk-ignore require-concurrent-index-creation
create index if not exists orders_pet_id_id_idx on orders (pet_id, id);
