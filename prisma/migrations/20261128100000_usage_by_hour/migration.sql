-- What became of the requests of each key, by hour and operation, and its bans.
--
-- Replicas write every few seconds what they counted, outside the way of requests. Replicas of the release before write neither.
create table api_key_usage_hours (
  hour timestamptz(6) not null,
  api_key_id bigint not null,
  operation text not null,
  outcome text not null,
  requests bigint not null,
  total_ms bigint not null,
  constraint api_key_usage_hours_pkey primary key (hour, api_key_id, operation, outcome),
  -- The views find hours by their beginning.
  constraint api_key_usage_hours_whole check (extract(epoch from hour) % 3600 = 0),
  constraint api_key_usage_hours_outcome check (
    outcome in ('success', 'client_error', 'limited', 'banned', 'unauthorized', 'server_error')),
  constraint api_key_usage_hours_not_negative check (requests >= 0 and total_ms >= 0)
)
-- Rows of the present hour are updated six times a minute by each replica: with room on the page no index is written.
with (fillfactor = 80);

comment on table api_key_usage_hours is
  'The requests of each key by hour (UTC), operation and outcome. Written every 10 s, so it may lack the last ones; the exact totals of days are in api_key_daily_usage.';
comment on column api_key_usage_hours.operation is 'The operationId of the interface; none where no route matched.';
comment on column api_key_usage_hours.outcome is
  'Of admitted requests: success (below 400), client_error (4xx), server_error (5xx). Of others: limited (429), banned (429 or 403, also suspended), unauthorized (revoked or expired).';
comment on column api_key_usage_hours.total_ms is 'Milliseconds from the headers of the requests to their responses, in all.';

create table api_key_bans (
  api_key_id bigint not null,
  began_at timestamptz(6) not null,
  ends_at timestamptz(6) not null,
  minute_limit integer not null,
  day_limit integer not null,
  constraint api_key_bans_pkey primary key (api_key_id, began_at)
);

-- For the last ones of all keys.
create index api_key_bans_began_at_idx on api_key_bans (began_at);

comment on table api_key_bans is 'The bans of each key, with the limits that it had. A ban that an operator lifted has ended before ends_at: recent_bans.';

-- The service calls them once an hour. With the rights of prisma/roles.sql it may not delete otherwise: what an operator looks at is safe from
-- its password.
create function delete_old_usage_hours(keep_days integer, at_most integer) returns integer
language plpgsql volatile security definer set search_path = public, pg_temp as $$
declare
  deleted integer;
begin
  delete from api_key_usage_hours as u
  using (
    select hour, api_key_id, operation, outcome
    from api_key_usage_hours
    where hour < date_trunc('day', statement_timestamp(), 'UTC') - greatest(keep_days, 2) * interval '1 day'
    limit at_most
    for update skip locked
  ) as old
  where (u.hour, u.api_key_id, u.operation, u.outcome) = (old.hour, old.api_key_id, old.operation, old.outcome);
  get diagnostics deleted = row_count;
  return deleted;
end
$$;

comment on function delete_old_usage_hours is
  'Deletes some of the hours of usage whose day is older than the given number of days, but none of the last two. Returns how many.';

create function delete_old_bans(keep_days integer, at_most integer) returns integer
language plpgsql volatile security definer set search_path = public, pg_temp as $$
declare
  deleted integer;
begin
  delete from api_key_bans as b
  using (
    select api_key_id, began_at
    from api_key_bans
    where ends_at < statement_timestamp() - greatest(keep_days, 31) * interval '1 day'
    limit at_most
    for update skip locked
  ) as old
  where (b.api_key_id, b.began_at) = (old.api_key_id, old.began_at);
  get diagnostics deleted = row_count;
  return deleted;
end
$$;

comment on function delete_old_bans is
  'Deletes some of the bans that ended more than the given number of days ago, but none of the last 31. Returns how many.';

revoke execute on function delete_old_usage_hours(integer, integer) from public;
revoke execute on function delete_old_bans(integer, integer) from public;
