create or replace function warn_of_limits(who text, key api_keys, plan plans) returns void
language plpgsql stable set search_path = public, pg_temp as $$
declare
  wrong record;
begin
  for wrong in
    select *
    from (
      select name, allowed, lag(name) over (order by nth) as shorter, lag(allowed) over (order by nth) as more
      from windows_of(key, plan, null)
      where allowed is not null
    ) as pair
    where more > allowed
  loop
    raise warning '% may make % requests a %, but only % a %', who, wrong.more, wrong.shorter, wrong.allowed, wrong.name;
  end loop;
end
$$;

comment on function warn_of_limits is 'Warns if a longer window has a lower limit than a shorter one.';
