import { tellSecret } from './admission-answer.js';

/**
 * Admission of the plain case, which nearly all requests are: the key is live, has no ban that stands or was lifted, its day is
 * counted already, and both windows have room for all of the group. It does for these what the admission statement does, for
 * two thirds of the work; the others it leaves alone, without a lock, and does not tell.
 *
 * - `$1 bytea[]` SHA-256 of each distinct secret, `$2 int[]` the requests made with it; `$3 timestamptz` a test's clock, else null.
 * - It answers a text for each secret whose requests it admitted: one array, as `parseAdmission` reads it.
 * - It locks rows of `api_key_counters` alone, in the order of their keys, so that replicas cannot deadlock. A row that another
 *   replica is writing is judged as that one leaves it.
 * - A key that comes with several secrets is no plain case: the earliest of its requests are granted, whichever secret they bring.
 */
export const plainAdmissionSql = `
-- The one instant at which the group is decided, and the windows that it falls into.
with clock as materialized (
  select
    t.now,
    floor(date_part('epoch', t.now) * 1000) as now_ms,
    date_trunc('minute', t.now, 'UTC') as this_minute,
    (t.now at time zone 'UTC')::date as this_day,
    date_part('epoch', date_trunc('minute', t.now, 'UTC') + interval '1 minute') * 1000 as minute_reset_ms,
    date_part('epoch', ((t.now at time zone 'UTC')::date + 1)::timestamp) * 1000 as day_reset_ms,
    set_config('synchronous_commit', 'off', true)
  from (select coalesce($3::timestamptz, now()) as now) as t
),

-- The secrets of this group. The limit takes them all: it only hides their number, so that the planner settles on look-ups.
presented as (
  select clock.*, a.*
  from clock
  cross join unnest((select $1::bytea[]), (select $2::int[])) with ordinality as a (hash, requests, position)
  limit (select cardinality($1::bytea[]))
),

live as (
  select
    a.*,
    k.*,
    count(*) over (partition by k.id) as secrets
  from presented a
  cross join lateral (
    select
      k.id,
      k.plan_id,
      k.bans_lifted_at,
      coalesce(k.requests_per_minute, p.requests_per_minute, 0) as minute_limit,
      coalesce(k.requests_per_day, p.requests_per_day, 0) as day_limit
    from api_key_secrets s
    join api_keys k on k.id = s.api_key_id
    join plans p on p.id = k.plan_id
    where s.hash = a.hash
      and k.revoked_at is null
      and coalesce(least(k.expires_at, s.expires_at) > a.now, true)
      and coalesce(k.suspended_until <= a.now, true)
    limit 1
  ) as k
),

-- The counters that have room, as they are now, locked in one order by all replicas.
roomy as (
  select
    a.*,
    case when c.minute = a.this_minute then c.minute_admitted else 0 end as minute_admitted,
    case when c.minute = a.this_minute then c.minute_refused else 0 end as minute_refused,
    c.day_admitted
  from live a
  join api_key_counters c on c.api_key_id = a.id
  where a.secrets = 1
    and c.day = a.this_day
    and c.minute <= a.this_minute
    and coalesce(c.banned_until <= a.now and c.banned_at > coalesce(a.bans_lifted_at, '-infinity'), true)
    and a.requests + case when c.minute = a.this_minute then c.minute_admitted else 0 end <= a.minute_limit
    and a.requests + c.day_admitted <= a.day_limit
  order by c.api_key_id
  for no key update of c
)

update api_key_counters c
set
  minute = a.this_minute,
  minute_admitted = a.minute_admitted + a.requests,
  minute_refused = a.minute_refused,
  day_admitted = a.day_admitted + a.requests
from roomy a
where c.api_key_id = a.id
returning ${tellSecret({
  state: `'live'`,
  position: 'a.position',
  keyId: 'a.id',
  planId: 'a.plan_id',
  nowMs: 'a.now_ms',
  granted: 'a.requests',
  refused: '0',
  minuteLimit: 'a.minute_limit',
  minuteAdmitted: 'a.minute_admitted',
  minuteResetMs: 'a.minute_reset_ms',
  dayLimit: 'a.day_limit',
  dayAdmitted: 'a.day_admitted',
  dayResetMs: 'a.day_reset_ms',
  clockWentBack: '0',
  barredUntilMs: 'null',
})}`;
