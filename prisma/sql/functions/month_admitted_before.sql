-- Volatile, for a fresh snapshot: admission calls it after locking the counters (or only reading them, for a barred
-- key), and its statement's snapshot would miss a day that another replica has finished since.
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
  'The admitted requests of a key in a day''s month, from its history: finished days, and the part of today before a reset or a clock set back.';
