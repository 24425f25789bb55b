-- Volatile, so that it reads with a snapshot of its own: admission calls it when it has locked the counters (those of a barred key it
-- only reads), and the snapshot of its statement lacks a day that another replica has finished meanwhile.
create or replace function month_admitted_before(key bigint, day date) returns bigint
language plpgsql volatile set search_path = public, pg_temp as $$
begin
  return (
    select least(coalesce(sum(u.admitted), 0), count_max() / 4)::bigint
    from api_key_usage u
    where u.api_key_id = key
      and u.day >= date_trunc('month', month_admitted_before.day::timestamp)::date
      and u.day < (date_trunc('month', month_admitted_before.day::timestamp) + interval '1 month')::date
  );
end
$$;

comment on function month_admitted_before is
  'What the history of a key has of the month of a day: finished days, and of the present one what a reset, or a clock that went back, has finished.';
