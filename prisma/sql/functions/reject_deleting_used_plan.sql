create or replace function reject_deleting_used_plan() returns trigger
language plpgsql as $$
begin
  if exists (select from public.api_keys where api_keys.plan_id = old.id) then
    raise exception 'plan "%" has keys', old.id
      using errcode = 'foreign_key_violation',
            hint = 'Move all its keys first, including revoked ones: update api_keys set plan_id = … where plan_id = ….';
  end if;
  return old;
end
$$;

comment on function reject_deleting_used_plan is 'A plan that has keys cannot be deleted.';

revoke execute on function reject_deleting_used_plan() from public;
