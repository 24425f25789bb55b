import { selectAdmissionRow } from './key-verdict.js';

/**
 * The general admission statement, for requests that the fast path (`plainAdmissionSql`) declines: it authenticates a batch, checks it
 * against the plans and counts it, in three steps: lock (`presented` to `locked`), decide (`opened` to `judged`), write (`counted`,
 * `closed`). A batch is decided as if its requests ran serially at one timestamp.
 *
 * - `$1 bytea[]` SHA-256 of each distinct secret, `$2 int[]` the requests made with it; `$3 timestamptz` a test's clock,
 *   else null; `$4 int` refusals in a minute that start a ban, `$5 int` seconds of the first ban, `$6 int` of the longest.
 * - A row is JSON for `parseAdmission`, for each secret that exists.
 * - It locks rows of `api_key_counters` alone, in the order of their keys, so that replicas cannot deadlock and operators
 *   stall nobody. All else is read as it was committed when the statement began.
 * - `materialized`, where nothing else demands it, has a figure computed once that is used many times.
 */
export const admissionSql = `
-- The one instant at which the group is decided. Whatever is written waits for no disk, in this transaction alone.
with clock as materialized (
  select
    t.now,
    t.now + interval '2 minutes' as horizon,
    floor(extract(epoch from t.now) * 1000)::float8 as now_ms,
    set_config('synchronous_commit', 'off', true)
  from (select coalesce($3::timestamptz, now()) as now) as t
),

-- The secrets of this group, with what operators say of their keys. Any revoked_at revokes at once: a comparison with the
-- clock would admit what arrives in the instant of the commit. The sub-selects hide the length of the arrays and the limit
-- bounds each look-up, so that the planner settles on one generic plan of index look-ups, whatever it knows of the tables.
presented as materialized (
  select
    a.position::int as position,
    a.requests,
    clock.now_ms,
    k.id,
    k.plan_id,
    coalesce(k.requests_per_minute, k.plan_requests_per_minute, 0) as minute_limit,
    coalesce(k.requests_per_day, k.plan_requests_per_day, 0) as day_limit,
    k.suspended_until,
    coalesce(k.bans_lifted_at, '-infinity') as lifted_at,
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
      p.requests_per_day as plan_requests_per_day
    from api_key_secrets s
    join api_keys k on k.id = s.api_key_id
    join plans p on p.id = k.plan_id
    where s.hash = a.hash
    limit 1
  ) as k
),

-- The requests of each key: its secrets share its counters.
asked as (
  select id, sum(requests) as requests, minute_limit, day_limit, suspended_until, lifted_at
  from presented
  where state = 'live'
  group by id, minute_limit, day_limit, suspended_until, lifted_at
),

-- Their counters, not locked yet: while a key is barred nobody writes its row, and a lock would be a write, too.
seen as materialized (
  select
    a.requests, a.minute_limit, a.day_limit, a.suspended_until, a.lifted_at, clock.now, clock.horizon,
    coalesce(
      a.suspended_until > clock.now
        or (c.banned_until > clock.now and c.banned_at > a.lifted_at and c.minute <= clock.horizon),
      false
    ) as seen_barred,
    c.*
  from clock
  cross join asked a
  join api_key_counters c on c.api_key_id = a.id
),

-- The rows that may be written, as they are now, locked in one order by all replicas.
locked as materialized (
  select s.requests, s.minute_limit, s.day_limit, s.suspended_until, s.lifted_at, s.now, s.horizon, s.seen_barred, c.*
  from seen s
  join api_key_counters c on c.api_key_id = s.api_key_id
  where not s.seen_barred
  order by c.api_key_id
  for update of c
),

-- The windows that the requests fall into: the present ones, or later ones that another replica has opened already. A row
-- more than two minutes ahead was written by another clock (that of a primary before this one) and holds for nothing.
opened as materialized (
  select
    *,
    minute > horizon as ahead,
    greatest(case when minute <= horizon then minute end, date_trunc('minute', now, 'UTC')) as this_minute,
    greatest(case when minute <= horizon then day end, (now at time zone 'UTC')::date) as this_day
  from (
    select * from locked
    union all
    select * from seen where seen_barred
  ) as r
),

-- What stands in those windows, and the last ban unless it was lifted.
used as materialized (
  select
    api_key_id, requests, minute_limit, day_limit, suspended_until, lifted_at, now, ahead, seen_barred,
    this_minute, this_day,
    case when minute = this_minute then minute_admitted else 0 end as minute_admitted,
    case when minute = this_minute then minute_refused else 0 end as minute_refused,
    case when day = this_day then day_admitted else 0 end as day_admitted,
    case when day = this_day then day_refused else 0 end as day_refused,
    case when banned_at > lifted_at and not ahead then banned_at end as banned_at,
    case when banned_at > lifted_at and not ahead then banned_until end as banned_until,
    case when day <> this_day and day > '-infinity' then day end as finished_day,
    day_admitted as finished_admitted,
    day_refused as finished_refused
  from opened
),

-- What both windows leave is granted. A ban may have begun while the lock was awaited; what was not locked is not written.
granted as materialized (
  select
    *,
    coalesce(seen_barred or greatest(suspended_until, banned_until) > now, false) as barred,
    case when seen_barred or greatest(suspended_until, banned_until) > now then 0
      else greatest(0, least(requests, minute_limit - minute_admitted, day_limit - day_admitted)) end as granted
  from used
),

-- The rest is refused and counted, up to the refusal that starts a ban; what comes after that one finds the key banned.
-- Every $4-th refusal of a minute starts a ban. It lasts twice as long as the last one when that ended less than a day ago. A
-- lift in the future forbids it.
-- A suspension without an end is told as one until the last second that has a year of four digits.
judged as materialized (
  select
    *,
    case
      when barred then 0
      when lifted_at < now then least(requests - granted, $4::int - minute_refused % $4::int)
      else requests - granted
    end as refused,
    case
      when barred then least(greatest(suspended_until, banned_until), '9999-12-31 23:59:59Z')
      when lifted_at < now and requests - granted >= $4::int - minute_refused % $4::int then
        now + case when banned_until > now - interval '24 hours'
          then least($6::int * interval '1 second', 2 * (banned_until - banned_at))
          else $5::int * interval '1 second' end
    end as barred_until
  from granted
),

-- Writes the counts, and the ban where one starts: a key that was not barred before now is.
counted as (
  update api_key_counters c
  set
    minute = j.this_minute,
    minute_admitted = j.minute_admitted + j.granted,
    minute_refused = j.minute_refused + j.refused,
    day = j.this_day,
    day_admitted = j.day_admitted + j.granted,
    day_refused = j.day_refused + j.refused,
    banned_at = case when j.barred_until is null then j.banned_at else j.now end,
    banned_until = coalesce(j.barred_until, j.banned_until)
  from judged j
  where c.api_key_id = j.api_key_id
    and not j.barred
),

-- At the turn of the day the finished day becomes history. It is there already only when a clock went back: then both count.
closed as (
  insert into api_key_usage as u (api_key_id, day, admitted, refused)
  select api_key_id, finished_day, finished_admitted, finished_refused
  from judged
  where not barred
    and finished_day is not null
  on conflict (api_key_id, day) do update
  set
    admitted = u.admitted + excluded.admitted,
    refused = u.refused + excluded.refused
)

-- The figures from which each request gets its verdict. Times are ms; a ban's end is rounded up.
select ${selectAdmissionRow({
  state: `case when p.state = 'live' and j.api_key_id is null then 'uncounted' else p.state end`,
  position: 'p.position',
  keyId: 'p.id',
  planId: 'p.plan_id',
  nowMs: 'p.now_ms',
  granted: 'j.granted',
  refused: 'j.refused',
  minuteLimit: 'p.minute_limit',
  minuteAdmitted: 'j.minute_admitted',
  minuteResetMs: `date_part('epoch', j.this_minute + interval '1 minute') * 1000`,
  dayLimit: 'p.day_limit',
  dayAdmitted: 'j.day_admitted',
  dayResetMs: `date_part('epoch', (j.this_day + 1)::timestamp) * 1000`,
  clockWentBack: '(j.ahead and not j.barred)::int',
  barredUntilMs: 'ceil(extract(epoch from j.barred_until) * 1000)::float8',
})}
from presented p
left join judged j on j.api_key_id = p.id`;
