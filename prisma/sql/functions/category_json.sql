create or replace function category_json(category categories) returns text
language sql stable parallel safe
return '{"id":' || category.id || ',"name":' || to_json(category.name) || '}';

comment on function category_json is 'A category as the API returns it.';
