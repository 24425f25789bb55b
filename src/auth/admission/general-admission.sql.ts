import { NEXT_GENERATION, selectAdmissionRow } from './admission-row.js';
import { GENERAL } from './windows.sql.js';

/**
 * The general admission statement, for requests that the fast path (`plainAdmissionSql`) declines: it authenticates a batch, checks it
 * against the plans and counts it, in three steps: lock (`input` to `locked`), decide (`windowed` to `decided`), write (`counted`,
 * `closed`, `traced`). A batch is decided as if its requests ran serially at one timestamp.
 *
 * - `$1 bytea[]` SHA-256 of each distinct secret, `$2 int[]` the number of its requests; `$3 timestamptz` a test's time,
 *   else null; `$4 int` rejections in a minute that start a ban, `$5 int` seconds of the first ban, `$6 int` of the longest.
 * - A row is JSON for `parseAdmission`, for each secret that exists.
 * - It locks only rows of `api_key_counters`, in the order of their keys, so that replicas cannot deadlock and operators block no
 *   request. Everything else is read as it was committed when the statement began.
 * - `materialized` makes PostgreSQL evaluate a shared CTE only once.
 */
export const admissionSql = `
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
    ${GENERAL.limits},
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
      ${GENERAL.planLimits}
    from api_key_secrets s
    join api_keys k on k.id = s.api_key_id
    join plans p on p.id = k.plan_id
    where s.hash = a.hash
    limit 1
  ) as k
),

-- The requests per key: the secrets of a key share its counters.
requested as (
  select id, sum(requests) as requests, ${GENERAL.limitsOf()}, suspended_until, lifted_at, reset_at
  from input
  where state = 'live'
  group by id, ${GENERAL.limitsOf()}, suspended_until, lifted_at, reset_at
),

-- The counters, not locked yet: a barred key's row is not written, and a lock would be a write.
unlocked as materialized (
  select
    r.requests, ${GENERAL.limitsOf('r.')}, r.suspended_until, r.lifted_at, clock.now, clock.horizon,
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
  select u.requests, ${GENERAL.limitsOf('u.')}, u.suspended_until, u.lifted_at, u.now, u.horizon,
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
    ${GENERAL.present}
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
    api_key_id, requests, ${GENERAL.limitsOf()}, suspended_until, lifted_at, now, ahead, was_barred,
    ${GENERAL.these}, seen, generation,
    ${GENERAL.counts},
    case when banned_at > lifted_at and not ahead then banned_at end as banned_at,
    case when banned_at > lifted_at and not ahead then banned_until end as banned_until,
    coalesce(due_reset, usage_reset_at) as reset_at,
    ${GENERAL.finished}
  from windowed
),

-- Grants as many requests as all windows have left. A ban may have started while this statement waited for the lock.
granted as materialized (
  select
    *,
    coalesce(was_barred or greatest(suspended_until, banned_until) > now, false) as barred,
    case when was_barred or greatest(suspended_until, banned_until) > now then 0
      else greatest(0, least(requests, ${GENERAL.left})) end as granted
  from (select *${GENERAL.sums} from current_counts) as c
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
    ${GENERAL.set},
    banned_at = case when d.barred_until is null then d.banned_at else d.now end,
    banned_until = coalesce(d.barred_until, d.banned_until),
    usage_reset_at = d.reset_at,
    ${NEXT_GENERATION}
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
  insert into api_key_bans (api_key_id, began_at, ends_at, ${GENERAL.limitsOf()})
  select api_key_id, now, barred_until, ${GENERAL.limitsOrNull}
  from decided
  where not barred
    and barred_until is not null
  on conflict do nothing
)

-- Times are ms; the end of a ban is rounded up.
select ${selectAdmissionRow({
  state: `case
      when i.state = 'live' and d.api_key_id is null then 'uncounted'
      when i.state = 'live' and d.suspended_until > d.now then 'suspended'
      else i.state end`,
  position: 'i.position',
  keyId: 'i.id',
  planId: 'i.plan_id',
  access: 'i.access',
  nowMs: 'i.now_ms',
  granted: 'd.granted',
  rejected: 'd.rejected',
  windows: { limits: 'i', counts: 'd', begins: 'd' },
  clockWentBack: '(d.ahead and not d.barred)::int',
  barredUntilMs: 'ceil(extract(epoch from d.barred_until) * 1000)::float8',
})}
from input i
left join decided d on d.api_key_id = i.id`;
