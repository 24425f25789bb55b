import { NEXT_GENERATION, selectAdmissionRow } from './admission-row.js';
import { PLAIN } from './windows.sql.js';

/**
 * The fast path of admission, for nearly all requests: the key is live, has no current or lifted ban and no reset to apply, its day is counted
 * already, and each window has room for the whole batch. It does two thirds of the work of `admissionSql`. Other keys are neither
 * locked nor returned. A key used with several secrets is declined as well: the earliest of its requests are granted,
 * whichever secret they carry.
 *
 * - `$1 bytea[]` SHA-256 of each distinct secret, `$2 int[]` the number of its requests; `$3 timestamptz` a test's clock, else null.
 * - A row is JSON for `parseAdmission`, for each secret whose requests are admitted.
 * - It locks only rows of `api_key_counters`, in the order of their keys, so that replicas cannot deadlock. A row that another
 *   replica is writing is read as that replica leaves it. If its generation has changed meanwhile, the key is declined.
 */
export const plainAdmissionSql = `
-- The timestamp at which the batch is decided, and the windows that contain it.
with clock as materialized (
  select
    t.now,
    ${PLAIN.begins},
    set_config('synchronous_commit', 'off', true)
  from (select coalesce($3::timestamptz, now()) as now) as t
),

-- The keys of this batch. The limit drops no rows: it hides the array length, so that the planner chooses index lookups.
live as (
  select
    clock.now,
    ${PLAIN.these},
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
      ${PLAIN.limits}
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
    ${PLAIN.counts}
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
    and ${PLAIN.conditions}
)

update api_key_counters c
set
  ${PLAIN.set},
  ${NEXT_GENERATION}
from available a
where c.api_key_id = a.id
  and c.generation = a.generation
returning ${selectAdmissionRow({
  state: `'live'`,
  position: 'a.position',
  keyId: 'c.api_key_id',
  planId: 'a.plan_id',
  access: 'a.access',
  nowMs: `floor(date_part('epoch', a.now) * 1000)`,
  granted: 'a.requests',
  rejected: '0',
  windows: { limits: 'a', counts: 'c', begins: 'a', ofBatch: 'a.requests' },
  clockWentBack: '0',
  barredUntilMs: 'null',
})}`;
