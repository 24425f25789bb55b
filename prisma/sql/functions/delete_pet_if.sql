create or replace function delete_pet_if(of_pet bigint, if_match text, if_none_match text) returns text
language plpgsql set search_path = public, pg_temp as $$
begin
  return (select * from delete_pets_if(array[of_pet], array[if_match], array[if_none_match]));
end
$$;

comment on function delete_pet_if is 'Only 1.0.0 uses it. Deletes one pet by delete_pets_if.';
