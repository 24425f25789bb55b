-- Lists, records and responses to writes share it, so that one representation has one ETag. to_json escapes a name as JSON.stringify does.
create or replace function pet_json(pet pets) returns text
language sql stable parallel safe
return '{"id":' || pet.id || ',"name":' || to_json(pet.name) || ',"categoryId":' || pet.category_id
  || coalesce(',"status":"' || pet.status || '"', '') || '}';

comment on function pet_json(pets) is 'A pet as the API returns it.';
