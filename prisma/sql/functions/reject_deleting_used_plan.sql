create or replace function reject_deleting_used_plan() returns trigger
language plpgsql as $$
declare
  keys constant bigint := (select count(*) from public.api_keys where plan_id = old.id);
begin
  if keys > 0 then
    raise exception 'plan "%" has keys (%): %', old.id, keys, (
      select string_agg(id || ' (' || name || ')', ', ' order by id) || case when keys > 5 then ', …' else '' end
      from (select id, name from public.api_keys where plan_id = old.id order by id limit 5) as listed)
      using errcode = 'foreign_key_violation',
            hint = 'Move each of them first, also revoked ones: select * from set_api_key_plan(id, plan), or petstore keys set-plan.';
  end if;
  return old;
end
$$;

comment on function reject_deleting_used_plan is 'A plan that has keys cannot be deleted.';

revoke execute on function reject_deleting_used_plan() from public;
