alter table pets add constraint pets_created_at_is_instant check (is_instant(created_at)) not valid;
