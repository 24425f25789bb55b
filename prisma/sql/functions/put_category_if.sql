-- Waits for 5 ms at most: the outcome is 'locked' if another transaction has locked the category, or is assigning its number or
-- name.
create or replace function put_category_if(of_id bigint, new_name text, if_match text, if_none_match text) returns table (outcome text, representation text)
language plpgsql volatile set search_path = public, pg_temp set lock_timeout = '5ms' as $$
declare
  category categories;
  is_held boolean;
  violated text;
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
    when category.id is null then 'created'
    when is_held then 'changed'
    else 'locked'
  end;
  begin
    if outcome = 'created' then
      insert into categories values (of_id, new_name);
    elsif outcome = 'changed' then
      update categories set name = new_name where id = of_id;
    end if;
  exception
    when lock_not_available then outcome := 'locked';
    when unique_violation then
      get stacked diagnostics violated = constraint_name;
      outcome := case violated when 'categories_name_key' then 'category_exists' else 'locked' end;
  end;
  representation := category_json(row(of_id, new_name)::categories);
  return next;
end
$$;

comment on function put_category_if is
  'Gives a number a name. The outcome: created, changed, unchanged, or the reason why not: precondition_failed, category_exists (name taken), locked.';
