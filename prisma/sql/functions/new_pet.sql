create or replace function new_pet() returns pets
language sql volatile
return row(nextval('pets_id_seq'), null, null, null, now())::pets;

comment on function new_pet() is 'A pet with the defaults of its columns and the next id. The members of a request replace nulls.';
