-- One branch per index. In plpgsql each call has its own snapshot.
create or replace function has_pets(of_category bigint) returns boolean
language plpgsql volatile set search_path = public, pg_temp as $$
begin
  return exists (select from pets where category_id = of_category and status is not null)
    or exists (select from pets where category_id = of_category and status is null);
end
$$;

comment on function has_pets is 'Whether a pet refers to a category.';
