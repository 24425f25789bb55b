create or replace function explain_limits() returns trigger
language plpgsql as $$
declare
  wrong text := (
    select 'requests_per_' || name
    from public.windows_of(null, null, null)
    where (to_jsonb(new) ->> ('requests_per_' || name))::bigint < 1
    order by nth
    limit 1);
begin
  raise exception '% is % and must be at least 1', wrong, to_jsonb(new) ->> wrong
    using errcode = 'check_violation', table = tg_table_name, column = wrong, hint = tg_argv[0];
end
$$;

comment on function explain_limits is 'Rejects limits below 1. The argument of the trigger is the hint.';

revoke execute on function explain_limits() from public;
