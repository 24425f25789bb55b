create or replace function follow_plan() returns trigger
language plpgsql as $$
declare
  chosen public.plans;
begin
  select * into chosen from public.plans where plans.id = new.plan_id;
  if not found then
    raise exception 'plan "%" does not exist', new.plan_id
      using errcode = 'foreign_key_violation',
            hint = 'The plans are: ' || (select string_agg(plans.id, ', ' order by plans.id) from public.plans) || '.';
  end if;
  if chosen.custom and exists (select from public.windows_of(new, chosen, null) where is_required and allowed is null) then
    raise exception 'plan "%" is custom, so its keys need both limits, but "%" does not have them', chosen.id, new.name
      using errcode = 'check_violation',
            hint = 'Set requests_per_minute and requests_per_day '
                   '(per_minute and per_day of a function, --per-minute and --per-day of a command).';
  end if;
  perform public.warn_of_limits(format('key "%s"', new.name), new, chosen);
  new.plan_custom := chosen.custom;
  return new;
end
$$;

comment on function follow_plan is
  'Always copies plan_custom from the plan, so that statements that change the plan can omit it.';

revoke execute on function follow_plan() from public;
