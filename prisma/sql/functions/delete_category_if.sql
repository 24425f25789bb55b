-- Never waits for a row: the outcome is 'locked' if another transaction holds the category.
create or replace function delete_category_if(of_id bigint, if_match text, if_none_match text) returns text
language plpgsql volatile set search_path = public, pg_temp as $$
declare
  category categories;
  is_held boolean;
begin
  select * into category from categories where id = of_id for update skip locked;
  is_held := found;
  if not is_held then
    select * into category from categories where id = of_id;
    if not found then return 'category_not_found'; end if;
  end if;
  if not meets_preconditions(category_json(category), if_match, if_none_match) then return 'precondition_failed'; end if;
  if has_pets(of_id) then return 'category_in_use'; end if;
  if not is_held then return 'locked'; end if;
  delete from categories where id = of_id;
  return 'deleted';
end
$$;

comment on function delete_category_if is
  'Deletes a category. Returns deleted, or the reason: category_not_found, precondition_failed, category_in_use (a pet refers to it), locked.';
