-- Lists of a category, with or without statuses, ordered by id. Every pet is in one of the two: among the pets with a status, a page
-- that ends before its limit would read on through all that have none.

-- Operators build it concurrently on large databases, before the release.
-- squawk-ignore require-concurrent-index-creation
create index if not exists pets_category_id_status_id_idx on pets (category_id, status, id) where status is not null;

-- As above.
-- squawk-ignore require-concurrent-index-creation
create index if not exists pets_category_id_id_idx on pets (category_id, id) where status is null;
