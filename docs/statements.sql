-- The statements of the service, under their names in pg_stat_statements, metrics and traces. Written by "npm run docs".

-- add_database_outages
insert into database_outages (replica, began_at, ended_at, undecided_of_no_key)
select $1, began_at, ended_at, undecided
from unnest($2::timestamptz[], $3::timestamptz[], $4::bigint[]) as outage (began_at, ended_at, undecided)
on conflict (replica, began_at) do nothing;

-- add_usage_hours
with commit as materialized (select set_config('synchronous_commit', 'off', true)),
counted as materialized (
  select *
  from unnest($1::timestamptz[], $2::bigint[], $3::text[], $4::text[], $5::bigint[], $6::bigint[], $7::bigint[])
    as counted (hour, api_key_id, operation, outcome, requests, total_ms, minute_peak)
), of_addresses as (
  insert into address_usage_hours as a (hour, outcome, requests)
  select hour, outcome, sum(counted.requests)
  from counted
  where api_key_id is null
  group by hour, outcome
  order by hour, outcome
  on conflict (hour, outcome) do update set requests = least(a.requests + excluded.requests, count_max())
)
insert into api_key_usage_hours as u (hour, api_key_id, operation, outcome, requests, total_ms, minute_peak)
select hour, api_key_id, operation, outcome, sum(counted.requests), sum(counted.total_ms), nullif(max(counted.minute_peak), 0)
from commit
cross join counted
where api_key_id is not null
group by hour, api_key_id, operation, outcome
order by hour, api_key_id, operation, outcome
on conflict (hour, api_key_id, operation, outcome) do update
set
  requests = least(u.requests + excluded.requests, count_max()),
  total_ms = least(u.total_ms + excluded.total_ms, count_max()),
  minute_peak = greatest(u.minute_peak, excluded.minute_peak);

-- admission
-- The timestamp at which the batch is decided. The commit does not wait for the disk.
with clock as materialized (
  select
    t.now,
    t.now + clock_tolerance() as horizon,
    floor(extract(epoch from t.now) * 1000)::float8 as now_ms,
    set_config('synchronous_commit', 'off', true)
  from (select coalesce($3::timestamptz, now()) as now) as t
),

-- The secrets of the batch with their keys. Any revoked_at revokes at once: a comparison with the clock would admit requests that
-- arrive at the instant of the commit. A lift of bans far in the future is ignored, as by latest_lift(). The sub-selects hide the length of the arrays and the limit bounds each lookup, so that the
-- planner chooses one generic plan of index lookups, whatever the statistics of the tables are.
input as materialized (
  select
    a.position::int as position,
    a.requests,
    clock.now_ms,
    k.id,
    k.plan_id,
    k.access,
    coalesce(k.requests_per_minute, k.plan_requests_per_minute, 0) as minute_limit,
    coalesce(k.requests_per_day, k.plan_requests_per_day, 0) as day_limit,
    coalesce(k.requests_per_month, k.plan_requests_per_month, 0) as month_limit,
    k.suspended_until,
    case when k.bans_lifted_at <= clock.horizon + interval '1 minute' then k.bans_lifted_at else '-infinity' end as lifted_at,
    k.usage_reset_at as reset_at,
    case
      when k.revoked_at is not null then 'revoked'
      when least(k.expires_at, k.secret_expires_at) <= clock.now then 'expired'
      else 'live'
    end as state
  from clock
  cross join unnest((select $1::bytea[]), (select $2::int[])) with ordinality as a (hash, requests, position)
  cross join lateral (
    select
      k.*,
      s.expires_at as secret_expires_at,
      p.requests_per_minute as plan_requests_per_minute,
      p.requests_per_day as plan_requests_per_day,
      p.requests_per_month as plan_requests_per_month
    from api_key_secrets s
    join api_keys k on k.id = s.api_key_id
    join plans p on p.id = k.plan_id
    where s.hash = a.hash
    limit 1
  ) as k
),

-- The requests per key: the secrets of a key share its counters.
requested as (
  select id, sum(requests) as requests, minute_limit, day_limit, month_limit, suspended_until, lifted_at, reset_at
  from input
  where state = 'live'
  group by id, minute_limit, day_limit, month_limit, suspended_until, lifted_at, reset_at
),

-- The counters, not locked yet: a barred key's row is not written, and a lock would be a write.
unlocked as materialized (
  select
    r.requests, r.minute_limit, r.day_limit, r.month_limit, r.suspended_until, r.lifted_at, clock.now, clock.horizon,
    nullif(r.reset_at, c.usage_reset_at) as due_reset,
    coalesce(
      r.suspended_until > clock.now
        or (c.banned_until > clock.now and c.banned_at > r.lifted_at and c.minute <= clock.horizon),
      false
    ) as was_barred,
    c.generation as seen,
    c.*
  from clock
  cross join requested r
  cross join lateral (
    select *
    from api_key_counters
    where api_key_id = r.id
    order by generation desc
    limit 1
  ) as c
),

-- The rows that may be written, as they are now. All replicas lock them in the same order. A reset already applied by another replica
-- since the statement began is no longer due.
locked as materialized (
  select u.requests, u.minute_limit, u.day_limit, u.month_limit, u.suspended_until, u.lifted_at, u.now, u.horizon,
    case when c.usage_reset_at is not distinct from u.usage_reset_at then u.due_reset end as due_reset,
    u.was_barred, u.seen, c.*
  from (select * from unlocked where not was_barred order by api_key_id) as u
  cross join lateral (
    select *
    from api_key_counters
    where api_key_id = u.api_key_id
    order by generation desc
    limit 1
    for update
  ) as c
),

-- The windows of the requests: the current ones, or later ones if another replica has already opened them. A row ahead of the
-- horizon was written by another clock (that of an earlier primary) and is ignored.
windowed as materialized (
  select
    *,
    minute > horizon as ahead,
    greatest(case when minute <= horizon then minute end, date_trunc('minute', now, 'UTC')) as this_minute,
    greatest(case when minute <= horizon then day end, (now at time zone 'UTC')::date) as this_day,
    date_trunc('month', greatest(case when minute <= horizon then day end, (now at time zone 'UTC')::date)::timestamp)::date as this_month
  -- By position: both have the same columns in the same order.
  from (
    select * from locked
    union all
    select * from unlocked where was_barred
  ) as r
),

-- The counts of those windows, and the last ban unless it was lifted. A due reset sets their admitted counts to zero.
current_counts as materialized (
  select
    api_key_id, requests, minute_limit, day_limit, month_limit, suspended_until, lifted_at, now, ahead, was_barred,
    this_minute, this_day, this_month, seen, generation,
    case when minute = this_minute and due_reset is null then minute_admitted else 0 end as minute_admitted,
    case when minute = this_minute then minute_refused else 0 end as minute_refused,
    case when day = this_day and due_reset is null then day_admitted else 0 end as day_admitted,
    case when day = this_day then day_refused else 0 end as day_refused,
    case
      when month_limit = 0 then null
      when month = this_month then month_before
      else month_admitted_before(api_key_id, this_day)
    end as month_stored,
    case when day > '-infinity' and (day <> this_day or due_reset is not null)
      and date_trunc('month', day::timestamp)::date = this_month then day_admitted else 0 end as month_finished,
    case when banned_at > lifted_at and not ahead then banned_at end as banned_at,
    case when banned_at > lifted_at and not ahead then banned_until end as banned_until,
    coalesce(due_reset, usage_reset_at) as reset_at,
    case when (day <> this_day and day > '-infinity') or (day = this_day and due_reset is not null) then day end as finished_at,
    day_admitted as finished_admitted,
    case when day <> this_day then day_refused else 0 end as finished_refused
  from windowed
),

-- Grants as many requests as all windows have left. A ban may have started while this statement waited for the lock.
granted as materialized (
  select
    *,
    coalesce(was_barred or greatest(suspended_until, banned_until) > now, false) as barred,
    case when was_barred or greatest(suspended_until, banned_until) > now then 0
      else greatest(0, least(requests, minute_limit - (minute_admitted), day_limit - (day_admitted), nullif(month_limit, 0) - (coalesce(month_before, 0) + day_admitted))) end as granted
  from (select *, month_stored + month_finished as month_before from current_counts) as c
),

-- The other requests are rejected and counted, up to the rejection that starts a ban; later ones find the key banned. Every $4-th
-- rejection of a minute starts a ban, which lasts twice as long as the last one if that ended less than a day ago. While
-- bans_lifted_at is in the future, no ban starts. A suspension without an end lasts until the last second of the year 9999.
decided as materialized (
  select
    *,
    case
      when barred then 0
      when lifted_at < now then least(requests - granted, $4::int - minute_refused % $4::int)
      else requests - granted
    end as rejected,
    case
      when barred then least(greatest(suspended_until, banned_until), '9999-12-31 23:59:59Z')
      when lifted_at < now and requests - granted >= $4::int - minute_refused % $4::int then
        now + case when banned_until > now - interval '24 hours'
          then least($6::int * interval '1 second', 2 * (banned_until - banned_at))
          else $5::int * interval '1 second' end
    end as barred_until
  from granted
),

-- Writes the counts, capped by their constraint. Here barred_until is set only if this batch starts a ban. The row version that
-- this statement read has the generation "seen"; the locked one has a later generation if another replica was faster.
counted as (
  update api_key_counters c
  set
    minute = d.this_minute,
    minute_admitted = d.minute_admitted + d.granted,
    minute_refused = least(d.minute_refused + d.rejected, count_max()),
    day = d.this_day,
    day_admitted = d.day_admitted + d.granted,
    day_refused = least(d.day_refused + d.rejected, count_max()),
    month = case when d.month_stored is not null then d.this_month end,
    month_before = d.month_stored,
    banned_at = case when d.barred_until is null then d.banned_at else d.now end,
    banned_until = coalesce(d.barred_until, d.banned_until),
    usage_reset_at = d.reset_at,
    generation = least(c.generation + (random() < 0.008)::int, count_max())
  from decided d
  where c.api_key_id = d.api_key_id
    and c.generation between d.seen and d.generation
    and not d.barred
),

-- After midnight the finished day moves to history; at a reset, the day's admitted count so far. The row exists already after a reset, or if
-- a clock went back: then add both.
closed as (
  insert into api_key_usage as u (api_key_id, day, admitted, refused)
  select api_key_id, finished_at, finished_admitted, finished_refused
  from decided
  where not barred
    and finished_at is not null
  on conflict (api_key_id, day) do update
  set
    admitted = least(u.admitted + excluded.admitted, count_max()),
    refused = least(u.refused + excluded.refused, count_max())
),

-- For operators: records each ban with its limits. A clock that went back could repeat one to the microsecond.
traced as (
  insert into api_key_bans (api_key_id, began_at, ends_at, minute_limit, day_limit, month_limit)
  select api_key_id, now, barred_until, minute_limit, day_limit, nullif(month_limit, 0)
  from decided
  where not barred
    and barred_until is not null
  on conflict do nothing
)

-- Times are ms; the end of a ban is rounded up.
select 
  '[' || concat_ws(
    ',',
    '"' || case
      when i.state = 'live' and d.api_key_id is null then 'uncounted'
      when i.state = 'live' and d.suspended_until > d.now then 'suspended'
      else i.state end || '"',
    i.position,
    '"' || i.id || '"',
    '"' || i.plan_id || '"',
    '"' || i.access || '"',
    i.now_ms,
    d.granted,
    d.rejected,
    (d.ahead and not d.barred)::int,
    i.minute_limit,
    d.minute_admitted,
    date_part('epoch', d.this_minute + interval '1 minute') * 1000,
    i.day_limit,
    d.day_admitted,
    date_part('epoch', d.this_day::timestamp + interval '1 day') * 1000,
    i.month_limit,
    coalesce(d.month_before, 0) + d.day_admitted,
    date_part('epoch', d.this_month::timestamp + interval '1 month') * 1000,
    ceil(extract(epoch from d.barred_until) * 1000)::float8
  ) || ']' as json
from input i
left join decided d on d.api_key_id = i.id;

-- change_orders
with input as materialized (
  select *
  from unnest($1::bigint[], $2::jsonb[], $3::text[], $4::text[])
    with ordinality as change (record_id, members, if_match, if_none_match, number)),
-- the pets are locked before their orders, as everywhere
pet as materialized (
  select id
  from pets
  where id = any(array(select pet_id from orders where id = any(array(select record_id from input))))
  order by id
  for no key update skip locked),
-- rows are locked in the order of their ids, as everywhere
held as materialized (
  select record
  from orders as record join pet on pet.id = record.pet_id
  where record.id = any(array(select record_id from input))
  order by record.id
  for no key update of record skip locked),
-- locked rows as of the lock; others as of the start of the statement
present as (
  select record, true as is_held from held
  union all
  select record, false
  from orders as record
  where id = any(array(select record_id from input)) and id <> all(array(select (record).id from held))),
wanted as materialized (
  select *, jsonb_populate_record(record, members) as wanted
  from input
  left join present on (record).id = record_id),
decided as materialized (
  select
    *,
    case
      when (record).id is null then 'order_not_found'
      when num_nonnulls(if_match, if_none_match) > 0
        and not meets_preconditions(order_json(record), if_match, if_none_match)
        then 'precondition_failed'
      when wanted is not distinct from record then 'unchanged'
      when not order_may_become((record).status, (wanted).status) then 'order_transition_not_allowed'
      when is_held then 'changed'
      else 'locked'
    end as outcome
  from wanted),
changed as (
  update orders as target
  set status = (wanted).status
  from decided
  where target.id = record_id and outcome = 'changed'
  returning target as changed_record)
select
  outcome, (record).status,
  case outcome when 'changed' then order_json(changed_record) when 'unchanged' then order_json(record) end as json
from decided
left join changed on (changed_record).id = record_id
order by number;

-- change_pets
with input as materialized (
  select *
  from unnest($1::bigint[], $2::jsonb[], $3::text[], $4::text[])
    with ordinality as change (record_id, members, if_match, if_none_match, number)),
-- rows are locked in the order of their ids, as everywhere
held as materialized (
  select record
  from pets as record
  where record.id = any(array(select record_id from input))
  order by record.id
  for no key update of record skip locked),
-- locked rows as of the lock; others as of the start of the statement
present as (
  select record, true as is_held from held
  union all
  select record, false
  from pets as record
  where id = any(array(select record_id from input)) and id <> all(array(select (record).id from held))),
wanted as materialized (
  select *, jsonb_populate_record(record, members) as wanted
  from input
  left join present on (record).id = record_id),
decided as materialized (
  select
    *,
    case
      when (record).id is null then 'pet_not_found'
      when num_nonnulls(if_match, if_none_match) > 0
        and not meets_preconditions(pet_json(record), if_match, if_none_match)
        then 'precondition_failed'
      when wanted is not distinct from record then 'unchanged'
      when (wanted).status is distinct from (record).status and has_open_order(record_id) then 'pet_has_open_order'
      when is_held then 'changed'
      else 'locked'
    end as outcome
  from wanted),
changed as (
  update pets as target
  set name = (wanted).name, category_id = (wanted).category_id, status = (wanted).status
  from decided
  where target.id = record_id and outcome = 'changed'
  returning target as changed_record)
select
  outcome,
  case outcome when 'changed' then pet_json(changed_record) when 'unchanged' then pet_json(record) end as json
from decided
left join changed on (changed_record).id = record_id
order by number;

-- create_categories
with input as materialized (
  select
    *,
    -- without a key, or with one that no earlier item and no other open transaction is using to create
    key is null or not is_used and row_number() over (partition by api_key_id, key order by number) = 1
      and pg_try_advisory_xact_lock(hashtextextended(key, api_key_id)) as holds_key
  from (
    select
      wanted.*,
      key is not null and exists (
        select from idempotency_keys as known
        where known.api_key_id = wanted.api_key_id and known.key = wanted.key and known.expires_at > now()) as is_used
    from unnest($1::jsonb[], $2::bigint[], $3::text[], $4::bytea[])
      with ordinality as wanted (members, api_key_id, key, fingerprint, number)) as wanted),
-- a request whose key is used neither waits for a row nor affects other requests
candidate as (
  select * from input where holds_key),
decided as (
  select candidate.*, 
    case
      when row_number() over (partition by lower((members ->> 'name') collate "C") order by number) > 1 then 'category_exists'
      else category_conflict(members ->> 'name')
    end as rejection
  from candidate),
creatable as materialized (
  select *, (record).id, category_json(record) as json
  from (
    select *, jsonb_populate_record(new_category(), members) as record
    from decided
    where rejection is null
    order by number) as numbered),
stored as (
  insert into idempotency_keys as stored (api_key_id, key, fingerprint, resource_id, answer, expires_at)
  select api_key_id, key, fingerprint, id, json, now() + interval '24 hours'
  from creatable
  where key is not null
  order by api_key_id, key
  on conflict (api_key_id, key) do update
    set fingerprint = excluded.fingerprint,
        resource_id = excluded.resource_id,
        answer = excluded.answer,
        expires_at = excluded.expires_at
    where stored.expires_at <= now()
  returning resource_id),
free as (
  select * from creatable where key is null or id in (select resource_id from stored)),
created as (
  insert into categories
  select (record).* from free)
select
  case
    when input.is_used then 'used'
    when not input.holds_key then 'busy'
    when free.id is not null then 'created'
    else coalesce(decided.rejection, 'used')
  end as outcome,
  free.id, free.json
from input
left join decided on decided.number = input.number
left join free on free.number = input.number
order by input.number;

-- create_pets
with input as materialized (
  select
    *,
    -- without a key, or with one that no earlier item and no other open transaction is using to create
    key is null or not is_used and row_number() over (partition by api_key_id, key order by number) = 1
      and pg_try_advisory_xact_lock(hashtextextended(key, api_key_id)) as holds_key
  from (
    select
      wanted.*,
      key is not null and exists (
        select from idempotency_keys as known
        where known.api_key_id = wanted.api_key_id and known.key = wanted.key and known.expires_at > now()) as is_used
    from unnest($1::jsonb[], $2::bigint[], $3::text[], $4::bytea[])
      with ordinality as wanted (members, api_key_id, key, fingerprint, number)) as wanted),
-- a request whose key is used neither waits for a row nor affects other requests
candidate as (
  select * from input where holds_key),
decided as (
  select candidate.*, null as rejection
  from candidate),
creatable as materialized (
  select *, (record).id, pet_json(record) as json
  from (
    select *, jsonb_populate_record(new_pet(), members) as record
    from decided
    where rejection is null
    order by number) as numbered),
stored as (
  insert into idempotency_keys as stored (api_key_id, key, fingerprint, resource_id, answer, expires_at)
  select api_key_id, key, fingerprint, id, json, now() + interval '24 hours'
  from creatable
  where key is not null
  order by api_key_id, key
  on conflict (api_key_id, key) do update
    set fingerprint = excluded.fingerprint,
        resource_id = excluded.resource_id,
        answer = excluded.answer,
        expires_at = excluded.expires_at
    where stored.expires_at <= now()
  returning resource_id),
free as (
  select * from creatable where key is null or id in (select resource_id from stored)),
created as (
  insert into pets
  select (record).* from free)
select
  case
    when input.is_used then 'used'
    when not input.holds_key then 'busy'
    when free.id is not null then 'created'
    else coalesce(decided.rejection, 'used')
  end as outcome,
  free.id, free.json
from input
left join decided on decided.number = input.number
left join free on free.number = input.number
order by input.number;

-- delete_categories
select outcome.*
from unnest($1::bigint[], $2::text[], $3::text[])
  with ordinality as item (value_1, value_2, value_3, number)
cross join lateral delete_category_if(value_1, value_2, value_3) as outcome (outcome)
order by number;

-- delete_pets
select outcome
from delete_pets_if($1::bigint[], $2::text[], $3::text[]) with ordinality as decided (outcome, number)
order by number;

-- filter_pets
select found.next_id as "nextId", found.items
from unnest((select $1::bigint[]), (select $2::int[]), (select $3::text[]), (select $4::bigint[]))
  with ordinality as page (from_id, size, statuses, category_id, number)
cross join lateral (
  select
    (array_agg(record.id))[page.size + 1] as next_id,
    array_to_string((array_agg(pet_json(record)))[:page.size], ',') as items
  from (
    select pet.*
    from unnest(page.statuses::pet_status[]) as wanted (status)
    cross join lateral (
      -- of a status, in all categories
      (select *
       from pets as listed
       where page.category_id is null
         and (listed.status, listed.id) >= (wanted.status, page.from_id) and listed.status <= wanted.status
       order by listed.status asc, listed.id asc
       limit page.size + 1)
      union all
      -- of a status, in one category
      (select *
       from pets as listed
       where listed.status is not null and wanted.status is not null
         and (listed.category_id, listed.status, listed.id) >= (page.category_id, wanted.status, page.from_id)
         and (listed.category_id, listed.status) <= (page.category_id, wanted.status)
       order by listed.category_id asc, listed.status asc, listed.id asc
       limit page.size + 1)
      union all
      -- without a status, in one category
      (select *
       from pets as listed
       where listed.status is null and wanted.status is null
         and (listed.category_id, listed.id) >= (page.category_id, page.from_id)
         and listed.category_id <= page.category_id
       order by listed.category_id asc, listed.id asc
       limit page.size + 1)) as pet
    order by pet.id asc
    limit page.size + 1) as record) as found
order by page.number;

-- filter_pets_desc
select found.next_id as "nextId", found.items
from unnest((select $1::bigint[]), (select $2::int[]), (select $3::text[]), (select $4::bigint[]))
  with ordinality as page (from_id, size, statuses, category_id, number)
cross join lateral (
  select
    (array_agg(record.id))[page.size + 1] as next_id,
    array_to_string((array_agg(pet_json(record)))[:page.size], ',') as items
  from (
    select pet.*
    from unnest(page.statuses::pet_status[]) as wanted (status)
    cross join lateral (
      -- of a status, in all categories
      (select *
       from pets as listed
       where page.category_id is null
         and (listed.status, listed.id) <= (wanted.status, page.from_id) and listed.status >= wanted.status
       order by listed.status desc, listed.id desc
       limit page.size + 1)
      union all
      -- of a status, in one category
      (select *
       from pets as listed
       where listed.status is not null and wanted.status is not null
         and (listed.category_id, listed.status, listed.id) <= (page.category_id, wanted.status, page.from_id)
         and (listed.category_id, listed.status) >= (page.category_id, wanted.status)
       order by listed.category_id desc, listed.status desc, listed.id desc
       limit page.size + 1)
      union all
      -- without a status, in one category
      (select *
       from pets as listed
       where listed.status is null and wanted.status is null
         and (listed.category_id, listed.id) <= (page.category_id, page.from_id)
         and listed.category_id >= page.category_id
       order by listed.category_id desc, listed.id desc
       limit page.size + 1)) as pet
    order by pet.id desc
    limit page.size + 1) as record) as found
order by page.number;

-- find_categories
select category_json(found) as json
from unnest((select $1::bigint[])) with ordinality as wanted (id, number)
left join categories as found on found.id = wanted.id
order by wanted.number;

-- find_orders
select order_json(found) as json
from unnest((select $1::bigint[])) with ordinality as wanted (id, number)
left join orders as found on found.id = wanted.id
order by wanted.number;

-- find_pets
select pet_json(found) as json
from unnest((select $1::bigint[])) with ordinality as wanted (id, number)
left join pets as found on found.id = wanted.id
order by wanted.number;

-- keys_of_secrets
select '\x' || encode(hash, 'hex') as secret, api_key_id as "keyId"
from api_key_secrets
where hash = any ($1::bytea[]);

-- list_categories
select found.next_id as "nextId", found.items
from unnest((select $1::bigint[]), (select $2::int[]), (select $3::text[]))
  with ordinality as page (from_id, size, name, number)
cross join lateral (
  select
    (array_agg(record.id))[page.size + 1] as next_id,
    array_to_string((array_agg(category_json(record)))[:page.size], ',') as items
  from (
    (select *
     from categories as listed
     where page.name is null
       and (listed.id) >= (page.from_id)
     order by listed.id asc
     limit page.size + 1)
    union all
    (select *
     from categories as listed
     where (lower(listed.name collate "C"), listed.id) >= (lower(page.name collate "C"), page.from_id)
       and (lower(listed.name collate "C")) <= (lower(page.name collate "C"))
     order by lower(listed.name collate "C") asc, listed.id asc
     limit page.size + 1)) as record) as found
order by page.number;

-- list_categories_desc
select found.next_id as "nextId", found.items
from unnest((select $1::bigint[]), (select $2::int[]), (select $3::text[]))
  with ordinality as page (from_id, size, name, number)
cross join lateral (
  select
    (array_agg(record.id))[page.size + 1] as next_id,
    array_to_string((array_agg(category_json(record)))[:page.size], ',') as items
  from (
    (select *
     from categories as listed
     where page.name is null
       and (listed.id) <= (page.from_id)
     order by listed.id desc
     limit page.size + 1)
    union all
    (select *
     from categories as listed
     where (lower(listed.name collate "C"), listed.id) <= (lower(page.name collate "C"), page.from_id)
       and (lower(listed.name collate "C")) >= (lower(page.name collate "C"))
     order by lower(listed.name collate "C") desc, listed.id desc
     limit page.size + 1)) as record) as found
order by page.number;

-- list_orders
select found.next_id as "nextId", found.items
from unnest((select $1::bigint[]), (select $2::int[]), (select $3::text[]), (select $4::bigint[]))
  with ordinality as page (from_id, size, status, pet_id, number)
cross join lateral (
  select
    (array_agg(record.id))[page.size + 1] as next_id,
    array_to_string((array_agg(order_json(record)))[:page.size], ',') as items
  from (
    (select *
     from orders as listed
     where page.status is null
       and page.pet_id is null
       and (listed.id) >= (page.from_id)
     order by listed.id asc
     limit page.size + 1)
    union all
    (select range.*
     from unnest(page.status::order_status[]) as wanted_status
     cross join lateral (select *
     from orders as listed
     where page.pet_id is null
       and (listed.status, listed.id) >= (wanted_status, page.from_id)
       and (listed.status) <= (wanted_status)
     order by listed.status asc, listed.id asc
     limit page.size + 1) as range
     order by range.id asc
     limit page.size + 1)
    union all
    (select *
     from orders as listed
     where page.status is null
       and (listed.pet_id, listed.id) >= (page.pet_id, page.from_id)
       and (listed.pet_id) <= (page.pet_id)
     order by listed.pet_id asc, listed.id asc
     limit page.size + 1)
    union all
    (select range.*
     from unnest(page.status::order_status[]) as wanted_status
     cross join lateral (select *
     from orders as listed
     where (listed.status, listed.pet_id, listed.id) >= (wanted_status, page.pet_id, page.from_id)
       and (listed.status, listed.pet_id) <= (wanted_status, page.pet_id)
     order by listed.status asc, listed.pet_id asc, listed.id asc
     limit page.size + 1) as range
     order by range.id asc
     limit page.size + 1)) as record) as found
order by page.number;

-- list_orders_desc
select found.next_id as "nextId", found.items
from unnest((select $1::bigint[]), (select $2::int[]), (select $3::text[]), (select $4::bigint[]))
  with ordinality as page (from_id, size, status, pet_id, number)
cross join lateral (
  select
    (array_agg(record.id))[page.size + 1] as next_id,
    array_to_string((array_agg(order_json(record)))[:page.size], ',') as items
  from (
    (select *
     from orders as listed
     where page.status is null
       and page.pet_id is null
       and (listed.id) <= (page.from_id)
     order by listed.id desc
     limit page.size + 1)
    union all
    (select range.*
     from unnest(page.status::order_status[]) as wanted_status
     cross join lateral (select *
     from orders as listed
     where page.pet_id is null
       and (listed.status, listed.id) <= (wanted_status, page.from_id)
       and (listed.status) >= (wanted_status)
     order by listed.status desc, listed.id desc
     limit page.size + 1) as range
     order by range.id desc
     limit page.size + 1)
    union all
    (select *
     from orders as listed
     where page.status is null
       and (listed.pet_id, listed.id) <= (page.pet_id, page.from_id)
       and (listed.pet_id) >= (page.pet_id)
     order by listed.pet_id desc, listed.id desc
     limit page.size + 1)
    union all
    (select range.*
     from unnest(page.status::order_status[]) as wanted_status
     cross join lateral (select *
     from orders as listed
     where (listed.status, listed.pet_id, listed.id) <= (wanted_status, page.pet_id, page.from_id)
       and (listed.status, listed.pet_id) >= (wanted_status, page.pet_id)
     order by listed.status desc, listed.pet_id desc, listed.id desc
     limit page.size + 1) as range
     order by range.id desc
     limit page.size + 1)) as record) as found
order by page.number;

-- list_pets
select found.next_id as "nextId", found.items
from unnest((select $1::bigint[]), (select $2::int[]), (select $3::pet_status[]))
  with ordinality as page (from_id, size, status, number)
cross join lateral (
  select
    (array_agg(record.id))[page.size + 1] as next_id,
    array_to_string((array_agg(pet_json(record)))[:page.size], ',') as items
  from (
    (select *
     from pets as listed
     where page.status is null
       and (listed.id) >= (page.from_id)
     order by listed.id asc
     limit page.size + 1)
    union all
    (select *
     from pets as listed
     where (listed.status, listed.id) >= (page.status, page.from_id)
       and (listed.status) <= (page.status)
     order by listed.status asc, listed.id asc
     limit page.size + 1)) as record) as found
order by page.number;

-- list_pets_by_id
select found.next_id as "nextId", found.items
from unnest((select $1::text[]), (select $2::int[]), (select $3::text[]), (select $4::bigint[]))
  with ordinality as page (ids, size, statuses, category_id, number)
cross join lateral (
  select
    (array_agg(record.id))[page.size + 1] as next_id,
    array_to_string((array_agg(pet_json(record)))[:page.size], ',') as items
  from (
    select pet.*
    from unnest(page.ids::bigint[]) with ordinality as wanted (id, place)
    join pets as pet on pet.id = wanted.id
    where (page.statuses is null or pet.status = any(page.statuses::pet_status[]))
      and (page.category_id is null or pet.category_id = page.category_id)
    order by wanted.place
    limit page.size + 1) as record) as found
order by page.number;

-- list_pets_desc
select found.next_id as "nextId", found.items
from unnest((select $1::bigint[]), (select $2::int[]), (select $3::pet_status[]))
  with ordinality as page (from_id, size, status, number)
cross join lateral (
  select
    (array_agg(record.id))[page.size + 1] as next_id,
    array_to_string((array_agg(pet_json(record)))[:page.size], ',') as items
  from (
    (select *
     from pets as listed
     where page.status is null
       and (listed.id) <= (page.from_id)
     order by listed.id desc
     limit page.size + 1)
    union all
    (select *
     from pets as listed
     where (listed.status, listed.id) <= (page.status, page.from_id)
       and (listed.status) >= (page.status)
     order by listed.status desc, listed.id desc
     limit page.size + 1)) as record) as found
order by page.number;

-- place_orders
with input as materialized (
  select
    *,
    -- without a key, or with one that no earlier item and no other open transaction is using to create
    key is null or not is_used and row_number() over (partition by api_key_id, key order by number) = 1
      and pg_try_advisory_xact_lock(hashtextextended(key, api_key_id)) as holds_key
  from (
    select
      wanted.*,
      key is not null and exists (
        select from idempotency_keys as known
        where known.api_key_id = wanted.api_key_id and known.key = wanted.key and known.expires_at > now()) as is_used
    from unnest($1::jsonb[], $2::bigint[], $3::text[], $4::bytea[])
      with ordinality as wanted (members, api_key_id, key, fingerprint, number)) as wanted),
-- a request whose key is used neither waits for a row nor affects other requests
candidate as (
  select * from input where holds_key),
wanted as materialized (
  select *, (members ->> 'pet_id')::bigint as pet_id from candidate),
-- locked in the order of their ids, as everywhere; without those that other transactions have locked
pet as materialized (
  select id, status
  from pets
  where id = any(array(select pet_id from wanted))
  order by id
  for no key update skip locked),
decided as (
  select candidate.*, 
    case
      when pet.id is null then coalesce(
        (select case status when 'available' then 'locked' else 'pet_not_available' end
         from pets
         where id = candidate.pet_id),
        'unknown_pet')
      when pet.status is distinct from 'available' then 'pet_not_available'
      when row_number() over (partition by candidate.pet_id order by number) > 1 then 'pet_not_available'
    end as rejection
  from wanted as candidate left join pet on pet.id = candidate.pet_id),
creatable as materialized (
  select *, (record).id, order_json(record) as json
  from (
    select *, jsonb_populate_record(new_order(), members) as record
    from decided
    where rejection is null
    order by number) as numbered),
stored as (
  insert into idempotency_keys as stored (api_key_id, key, fingerprint, resource_id, answer, expires_at)
  select api_key_id, key, fingerprint, id, json, now() + interval '24 hours'
  from creatable
  where key is not null
  order by api_key_id, key
  on conflict (api_key_id, key) do update
    set fingerprint = excluded.fingerprint,
        resource_id = excluded.resource_id,
        answer = excluded.answer,
        expires_at = excluded.expires_at
    where stored.expires_at <= now()
  returning resource_id),
free as (
  select * from creatable where key is null or id in (select resource_id from stored)),
created as (
  insert into orders
  select (record).* from free)
select
  case
    when input.is_used then 'used'
    when not input.holds_key then 'busy'
    when free.id is not null then 'created'
    else coalesce(decided.rejection, 'used')
  end as outcome,
  free.id, free.json
from input
left join decided on decided.number = input.number
left join free on free.number = input.number
order by input.number;

-- plain_admission
-- The timestamp at which the batch is decided, and the windows that contain it.
with clock as materialized (
  select
    t.now,
    date_trunc('minute', t.now, 'UTC') as this_minute,
    (t.now at time zone 'UTC')::date as this_day,
    date_trunc('month', (t.now at time zone 'UTC')::date::timestamp)::date as this_month,
    set_config('synchronous_commit', 'off', true)
  from (select coalesce($3::timestamptz, now()) as now) as t
),

-- The keys of this batch. The limit drops no rows: it hides the array length, so that the planner chooses index lookups.
live as (
  select
    clock.now,
    clock.this_minute,
    clock.this_day,
    clock.this_month,
    a.requests,
    a.position,
    k.*,
    count(*) over (partition by k.id) as secrets
  from clock
  cross join (
    select *
    from unnest((select $1::bytea[]), (select $2::int[])) with ordinality as a (hash, requests, position)
    limit (select cardinality($1::bytea[]))
  ) as a
  cross join lateral (
    select
      k.id,
      k.plan_id,
      k.access,
      k.bans_lifted_at,
      k.usage_reset_at,
      coalesce(k.requests_per_minute, p.requests_per_minute, 0) as minute_limit,
      coalesce(k.requests_per_day, p.requests_per_day, 0) as day_limit,
      coalesce(k.requests_per_month, p.requests_per_month, 0) as month_limit
    from api_key_secrets s
    join api_keys k on k.id = s.api_key_id
    join plans p on p.id = k.plan_id
    where s.hash = a.hash
      and k.revoked_at is null
      and coalesce(least(k.expires_at, s.expires_at) > clock.now, true)
      and coalesce(k.suspended_until <= clock.now, true)
    limit 1
  ) as k
),

-- The counters with enough requests left, as they are now. All replicas lock them in the same order. Their minute may be in the past.
-- The row of a banned key is not locked, which would be a write.
available as materialized (
  select
    a.*,
    c.generation,
    case when c.minute = a.this_minute then c.minute_admitted else 0 end as minute_admitted,
    case when c.minute = a.this_minute then c.minute_refused else 0 end as minute_refused,
    c.day_admitted
  from (select * from live where secrets = 1 order by id) as a
  cross join lateral (
    select *
    from api_key_counters
    where api_key_id = a.id
      and coalesce(banned_until <= a.now and banned_at > coalesce(a.bans_lifted_at, '-infinity'), true)
    order by generation desc
    limit 1
    for no key update
  ) as c
  where coalesce(a.usage_reset_at = c.usage_reset_at, a.usage_reset_at is null)
    and c.minute <= a.this_minute
    and a.requests + case when c.minute = a.this_minute then c.minute_admitted else 0 end <= a.minute_limit
    and c.day = a.this_day
    and a.requests + c.day_admitted <= a.day_limit
    and (a.month_limit = 0 or coalesce(c.month = a.this_month and a.requests + coalesce(c.month_before, 0) + c.day_admitted <= a.month_limit, false))
)

update api_key_counters c
set
  minute = a.this_minute,
  minute_admitted = a.requests + a.minute_admitted,
  minute_refused = a.minute_refused,
  -- It does not change. But PostgreSQL first checks the constraints with the row version that this statement read, not the newest, and
  -- its day may be an earlier one.
  day = a.this_day,
  day_admitted = a.requests + a.day_admitted,
  generation = least(c.generation + (random() < 0.008)::int, count_max())
from available a
where c.api_key_id = a.id
  and c.generation = a.generation
returning 
  '[' || concat_ws(
    ',',
    '"' || 'live' || '"',
    a.position,
    '"' || c.api_key_id || '"',
    '"' || a.plan_id || '"',
    '"' || a.access || '"',
    floor(date_part('epoch', a.now) * 1000),
    a.requests,
    0,
    0,
    a.minute_limit,
    c.minute_admitted - a.requests,
    date_part('epoch', a.this_minute + interval '1 minute') * 1000,
    a.day_limit,
    c.day_admitted - a.requests,
    date_part('epoch', a.this_day::timestamp + interval '1 day') * 1000,
    a.month_limit,
    coalesce(c.month_before, 0) + c.day_admitted - a.requests,
    date_part('epoch', a.this_month::timestamp + interval '1 month') * 1000,
    null
  ) || ']' as json;

-- put_categories
select outcome.*
from unnest($1::bigint[], $2::text[], $3::text[], $4::text[])
  with ordinality as item (value_1, value_2, value_3, value_4, number)
cross join lateral put_category_if(value_1, value_2, value_3, value_4) as outcome (outcome, json)
order by number;

-- read_inventory
select available, pending, sold from pet_inventory();

-- usage_days_of_keys
select to_char(of_day.day, 'YYYY-MM-DD') as day,
       coalesce(live.day_admitted, 0) + coalesce(past.admitted, 0) as admitted,
       coalesce(live.day_refused, 0) + coalesce(past.refused, 0) as refused
from unnest($1::bigint[], $2::timestamptz[]) with ordinality as wanted (key_id, now, number)
cross join lateral generate_series(30, 0, -1) as ago
cross join lateral (select (wanted.now at time zone 'UTC')::date - ago as day) as of_day
left join api_key_counters as live on live.api_key_id = wanted.key_id and live.day = of_day.day
left join api_key_usage as past on past.api_key_id = wanted.key_id and past.day = of_day.day
order by wanted.number, of_day.day;

-- usage_hours_of_keys
select wanted.number::int, of_hour.hour, u.operation, u.outcome, u.requests
from unnest($1::bigint[], $2::timestamptz[]) with ordinality as wanted (key_id, now, number)
cross join lateral generate_series(23, 0, -1) as ago
cross join lateral (select date_trunc('hour', wanted.now, 'UTC') - ago * interval '1 hour' as hour) as of_hour
left join lateral (
  select operation, outcome, requests
  from api_key_usage_hours
  where hour = of_hour.hour and api_key_id = wanted.key_id
  limit 300
) as u on true
order by wanted.number, of_hour.hour, u.operation, u.outcome;
