create or replace function explain_limits() returns trigger
language plpgsql as $$
declare
  wrong text := case when new.requests_per_minute < 1 then 'requests_per_minute' else 'requests_per_day' end;
begin
  raise exception '% is % and must be at least 1', wrong, to_jsonb(new) ->> wrong
    using errcode = 'check_violation', table = tg_table_name, column = wrong, hint = tg_argv[0];
end
$$;

comment on function explain_limits is 'Rejects limits below 1. The argument of the trigger is the hint.';

revoke execute on function explain_limits() from public;
