create or replace function explain_plan_numbers() returns trigger
language plpgsql as $$
declare
  missing bigint := (select count(*) from public.windows_of(null, new, null) where is_required and allowed is null);
begin
  if new.custom and exists (select from public.windows_of(null, new, null) where allowed is not null) then
    raise exception 'plan "%" is custom and cannot have limits of its own', new.id
      using errcode = 'check_violation',
            hint = 'Set them on its keys: select * from set_api_key_limits(id, per_minute, per_day), '
                   'or petstore keys set-limits. Or set custom = false (--no-custom).';
  end if;
  if not new.custom and missing > 0 then
    raise exception 'plan "%" needs both requests_per_minute and requests_per_day', new.id
      using errcode = 'check_violation',
            hint = 'Or set custom = true (--custom), without limits: then each of its keys must have its own.';
  end if;
  perform public.warn_of_limits(format('the keys of plan "%s"', new.id), null, new);
  return new;
end
$$;

comment on function explain_plan_numbers is 'Rejects a custom plan with limits, and any other plan without them.';

revoke execute on function explain_plan_numbers() from public;
