create or replace function reject_change() returns trigger
language plpgsql as $$
begin
  raise exception '%', tg_argv[0] using errcode = 'restrict_violation', hint = tg_argv[1];
end
$$;

comment on function reject_change is 'Rejects a change. The arguments of the trigger are the message and the hint.';

revoke execute on function reject_change() from public;
