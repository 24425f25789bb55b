-- Requests go on meanwhile.
alter table pets validate constraint pets_created_at_is_instant;
