-- It waits for no row: the outcome is 'locked' if another transaction has locked the category.
create or replace function put_category_if(of_id bigint, new_name text, if_match text, if_none_match text) returns table (outcome text, "json" text)
language plpgsql volatile set search_path = public, pg_temp as $$
declare
  category categories;
  is_held boolean;
begin
  select * into category from categories where id = of_id for no key update skip locked;
  is_held := found;
  if not is_held then
    select * into category from categories where id = of_id;
  end if;
  outcome := case
    when category.id is null and if_match is not null then 'precondition_failed'
    when category.id is not null and not meets_preconditions(category_json(category), if_match, if_none_match) then 'precondition_failed'
    when category.name = new_name then 'unchanged'
    when is_name_taken(new_name, by_other_than => of_id) then 'category_exists'
    when category.id is null then 'created'
    when is_held then 'changed'
    else 'locked'
  end;
  if outcome = 'created' then
    insert into categories values (of_id, new_name) on conflict do nothing;
    if not found then outcome := 'locked'; end if;
  elsif outcome = 'changed' then
    update categories set name = new_name where id = of_id;
  end if;
  "json" := category_json(row(of_id, new_name)::categories);
  return next;
end
$$;

comment on function put_category_if is
  'Gives a number a name. The outcome is created, changed, unchanged, or why it was not: precondition_failed, category_exists (another has the name), locked.';
