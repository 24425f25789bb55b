import { selectAdmissionRow } from './key-verdict.js';

/**
 * The fast path of admission, for nearly all requests: the key is live, has no ban that stands or was lifted, its day is counted
 * already, and both windows have room for the whole batch. These statements do two thirds of the work of `admissionSql`. Other keys
 * are neither locked nor returned.
 *
 * - `$1 bytea[]` SHA-256 of each distinct secret, `$2 int[]` the requests made with it; `$3 timestamptz` a test's clock, else null.
 * - A row is JSON for `parseAdmission`, for each secret whose requests are admitted.
 * - They lock rows of `api_key_counters` alone. A row that another replica is writing is read as that one leaves it.
 */

/** The one timestamp at which the batch is decided, and the windows that it falls into. */
const clock = `
  select
    t.now,
    date_trunc('minute', t.now, 'UTC') as this_minute,
    (t.now at time zone 'UTC')::date as this_day,
    set_config('synchronous_commit', 'off', true)
  from (select coalesce($3::timestamptz, now()) as now) as t`;

const isLive = (now: string): string => `
  k.revoked_at is null
  and coalesce(least(k.expires_at, s.expires_at) > ${now}, true)
  and coalesce(k.suspended_until <= ${now}, true)`;

const minuteLimit = 'coalesce(k.requests_per_minute, p.requests_per_minute, 0)';
const dayLimit = 'coalesce(k.requests_per_day, p.requests_per_day, 0)';

// The counters may be those of an earlier minute.
const minuteAdmitted = 'case when c.minute = a.this_minute then c.minute_admitted else 0 end';
const minuteRefused = 'case when c.minute = a.this_minute then c.minute_refused else 0 end';

const hasRoom = (key: { bansLiftedAt: string; minuteLimit: string; dayLimit: string }): string => `
  c.day = a.this_day
  and c.minute <= a.this_minute
  and coalesce(c.banned_until <= a.now and c.banned_at > coalesce(${key.bansLiftedAt}, '-infinity'), true)
  and a.requests + ${minuteAdmitted} <= ${key.minuteLimit}
  and a.requests + c.day_admitted <= ${key.dayLimit}`;

/** The row of a key `k` when `c` has counted the requests of `a`. */
const selectAdmitted = (sql: {
  position: string;
  planId: string;
  minuteLimit: string;
  dayLimit: string;
}): string =>
  selectAdmissionRow({
    ...sql,
    state: `'live'`,
    keyId: 'c.api_key_id',
    nowMs: `floor(date_part('epoch', a.now) * 1000)`,
    granted: 'a.requests',
    refused: '0',
    minuteAdmitted: 'c.minute_admitted - a.requests',
    minuteResetMs: `date_part('epoch', a.this_minute + interval '1 minute') * 1000`,
    dayAdmitted: 'c.day_admitted - a.requests',
    dayResetMs: `date_part('epoch', (a.this_day + 1)::timestamp) * 1000`,
    clockWentBack: '0',
    barredUntilMs: 'null',
  });

/** For one secret alone: it locks one row, so the order of locks needs no step. */
export const plainAdmissionOfOneSql = `
update api_key_counters c
set
  minute = a.this_minute,
  minute_admitted = a.requests + ${minuteAdmitted},
  minute_refused = ${minuteRefused},
  day_admitted = a.requests + c.day_admitted
from (select clock.*, ($1::bytea[])[1] as hash, ($2::int[])[1] as requests from (${clock}) as clock) as a
join api_key_secrets s on s.hash = a.hash
join api_keys k on k.id = s.api_key_id
join plans p on p.id = k.plan_id
where c.api_key_id = k.id
  and ${isLive('a.now')}
  and ${hasRoom({ bansLiftedAt: 'k.bans_lifted_at', minuteLimit, dayLimit })}
returning ${selectAdmitted({ position: '1', planId: 'k.plan_id', minuteLimit, dayLimit })}`;

/**
 * For several secrets. It locks in the order of their keys, so that replicas cannot deadlock. It leaves out a key that comes with
 * more than one of them: the earliest of its requests are granted, whichever secret they carry.
 */
export const plainAdmissionSql = `
with clock as materialized (${clock}
),

-- The keys of this group. The limit takes all secrets: it only hides their number, so that the planner settles on look-ups.
live as (
  select
    clock.now,
    clock.this_minute,
    clock.this_day,
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
    select k.id, k.plan_id, k.bans_lifted_at, ${minuteLimit} as minute_limit, ${dayLimit} as day_limit
    from api_key_secrets s
    join api_keys k on k.id = s.api_key_id
    join plans p on p.id = k.plan_id
    where s.hash = a.hash
      and ${isLive('clock.now')}
    limit 1
  ) as k
),

-- The counters that have room, as they are now, locked in one order by all replicas.
roomy as (
  select
    a.now,
    a.this_minute,
    a.this_day,
    a.requests,
    a.position,
    a.id,
    a.plan_id,
    a.minute_limit,
    a.day_limit,
    ${minuteAdmitted} as minute_admitted,
    ${minuteRefused} as minute_refused,
    c.day_admitted
  from live a
  join api_key_counters c on c.api_key_id = a.id
  where a.secrets = 1
    and ${hasRoom({ bansLiftedAt: 'a.bans_lifted_at', minuteLimit: 'a.minute_limit', dayLimit: 'a.day_limit' })}
  order by c.api_key_id
  for no key update of c
)

update api_key_counters c
set
  minute = a.this_minute,
  minute_admitted = a.requests + a.minute_admitted,
  minute_refused = a.minute_refused,
  day_admitted = a.requests + a.day_admitted
from roomy a
where c.api_key_id = a.id
returning ${selectAdmitted({ position: 'a.position', planId: 'a.plan_id', minuteLimit: 'a.minute_limit', dayLimit: 'a.day_limit' })}`;
