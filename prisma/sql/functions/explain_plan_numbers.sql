create or replace function explain_plan_numbers() returns trigger
language plpgsql as $$
begin
  if new.custom and num_nonnulls(new.requests_per_minute, new.requests_per_day) > 0 then
    raise exception 'plan "%" is custom and cannot have limits of its own', new.id
      using errcode = 'check_violation',
            hint = 'Set them on its keys: select * from set_api_key_limits(id, per_minute, per_day), '
                   'or petstore keys set-limits. Or set custom = false (--no-custom).';
  end if;
  if not new.custom and num_nulls(new.requests_per_minute, new.requests_per_day) > 0 then
    raise exception 'plan "%" needs both requests_per_minute and requests_per_day', new.id
      using errcode = 'check_violation',
            hint = 'Or set custom = true (--custom), without limits: then each of its keys must have its own.';
  end if;
  if new.requests_per_day < new.requests_per_minute then
    raise warning 'the keys of plan "%" may make % requests a minute, but only % a day', new.id, new.requests_per_minute, new.requests_per_day;
  end if;
  return new;
end
$$;

comment on function explain_plan_numbers is 'Rejects a custom plan that has limits, and another plan that has none.';

revoke execute on function explain_plan_numbers() from public;
