import { type JsonTable, selectPages, selectRowsById } from '../batching/pages.js';
import { type Lane, type Statement, statement } from '../prisma/statement.js';
import { etagSql } from '../common/etag.js';
import { IDEMPOTENCY_HOURS } from '../idempotency/claim.js';

/** An instant as JSON has it: in UTC with milliseconds, cut and not rounded, as JavaScript's dates are. */
const instant = (column: string): string =>
  `to_char(${column} at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"')`;

/** Orders as answers. */
export const ORDERS: JsonTable = {
  table: 'orders',
  statusType: 'order_status',
  json: `
    '{"id":' || item.id || ',"petId":' || item.pet_id || ',"status":"' || item.status
      || '","placedAt":"' || ${instant('item.placed_at')} || '","updatedAt":"' || ${instant('item.updated_at')} || '"}'`,
};

export const LIST_ORDERS = selectPages(ORDERS);
export const FIND_ORDERS = selectRowsById(ORDERS);

/**
 * How a statement treats rows that other transactions have locked.
 *
 * A batch skips them: it must not wait for the row of one item. An item whose row was skipped is decided by the snapshot where
 * that rejects it or leaves everything as it is; otherwise it is `locked`.
 *
 * A retry of `locked` items waits for their row. Its last two parameters are the milliseconds that each item may wait, and the
 * `lock_timeout`. The time of an item is checked once the lock is there: one whose client may have its 503 already writes nothing.
 */
interface Locking {
  readonly lane: Lane;
  readonly lock: string;
  /** A condition that sets the `lock_timeout`. */
  readonly bounded: string;
  /** The parameter for the column `patience_ms`. */
  readonly parameter: string;
  /** SQL that only a retry contains. */
  readonly onRetry: (sql: string) => string;
}

const SKIPPING: Locking = {
  lane: 'writes',
  lock: 'for no key update skip locked',
  bounded: '',
  parameter: '',
  onRetry: () => '',
};

/** @param first the number of the first of the two parameters */
const waiting = (first: number): Locking => ({
  lane: 'lock-waits',
  lock: 'for no key update',
  bounded: `(select set_config('lock_timeout', $${first + 1}, true)) is not null and`,
  parameter: `, $${first}::int[]`,
  onRetry: (sql) => sql,
});

const IS_LATE = `, clock_timestamp() > statement_timestamp() + patience_ms * interval '1 ms' as is_late`;

/** Why there is no order, or null: the earliest of those who may have the pet gets it. */
const rejection = ({ onRetry }: Locking): string => `
        case
          when not is_read then coalesce(
            (select case status when 'available' then 'locked' else 'pet_not_available' end from pets where id = pet_id),
            'unknown_pet')
          when pet_status is distinct from 'available' then 'pet_not_available'
          ${onRetry(`when is_late then 'locked'`)}
          when row_number() over (partition by pet_id${onRetry(', is_late')} order by number) > 1
            then 'pet_not_available'
        end as refusal
      from seen`;

const placeOrders = (name: string, locking: Locking): Statement =>
  statement(
    name,
    locking.lane,
    `
    with asked as (
      select pet_id${locking.onRetry(', patience_ms')}, number
      from unnest($1::bigint[]${locking.parameter}) with ordinality as asked (pet_id${locking.onRetry(', patience_ms')}, number)),
    -- Locked first, and in the order of their identifiers, as everywhere; read as they are then.
    pet as materialized (
      select id, status
      from pets
      where ${locking.bounded} id = any($1)
      order by id
      ${locking.lock}),
    seen as (
      select asked.pet_id, number, pet.id is not null as is_read, pet.status as pet_status${locking.onRetry(IS_LATE)}
      from asked
      left join pet on pet.id = asked.pet_id),
    decided as (
      select
        number,
        pet_id,${rejection(locking)}
      order by number),
    answer as materialized (
      select
        number, refusal, case when refusal is null then nextval('orders_id_seq') end as id,
        pet_id, 'placed'::order_status as status, now() as at
      from decided),
    placed as (
      insert into orders (id, pet_id, status, placed_at, updated_at)
      select id, pet_id, status, at, at from answer where refusal is null)
    select refusal, id, pet_id as "petId", status, at as "placedAt", at as "updatedAt" from answer order by number`,
  );

/**
 * Places orders, in the order in which they were requested: a pet goes to the first who wants it. One row for each item, in
 * that order: why there is no order, or null, then the order. The pets follow by a trigger of orders.
 */
export const PLACE_ORDERS = placeOrders('place_orders', SKIPPING);

/** The same for items whose pet was locked. */
export const PLACE_LOCKED_ORDERS = placeOrders('place_orders_locked', waiting(2));

const placeOrdersOnce = (name: string, locking: Locking): Statement =>
  statement(
    name,
    locking.lane,
    `
    -- who holds the claim's lock may store under it; nobody waits for it
    with asked as materialized (
      select
        asked.*, pg_try_advisory_xact_lock(hashtextextended(key, api_key_id)) as is_mine,
        exists (
          select from idempotency_keys as known
          where known.api_key_id = asked.api_key_id and known.key = asked.key and known.expires_at > now()
        ) as is_used
      from unnest($1::bigint[], $2::bigint[], $3::text[], $4::bytea[]${locking.parameter})
        with ordinality as asked (pet_id, api_key_id, key, fingerprint${locking.onRetry(', patience_ms')}, number)),
    -- a claim that was used neither waits for its pet nor takes it from another
    wanted as (select * from asked where is_mine and not is_used),
    pet as materialized (
      select id, status
      from pets
      where ${locking.bounded} id = any(array(select pet_id from wanted))
      order by id
      ${locking.lock}),
    seen as (
      select wanted.*, pet.id is not null as is_read, pet.status as pet_status${locking.onRetry(IS_LATE)}
      from wanted
      left join pet on pet.id = wanted.pet_id),
    decided as (
      select
        seen.*,${rejection(locking)}
      order by number),
    answer as materialized (
      select
        decided.*, case when refusal is null then nextval('orders_id_seq') end as id,
        'placed'::order_status as status, now() as placed_at, now() as updated_at
      from decided),
    -- a claim is free when nobody used it, also not since this statement began, or when its time is over; a rejection stores
    -- nothing
    stored as (
      insert into idempotency_keys as stored (api_key_id, key, fingerprint, resource_id, answer, expires_at)
      select api_key_id, key, fingerprint, id, ${ORDERS.json}, now() + interval '${IDEMPOTENCY_HOURS} hours'
      from answer as item
      where refusal is null
      order by api_key_id, key
      on conflict (api_key_id, key) do update
        set fingerprint = excluded.fingerprint,
            resource_id = excluded.resource_id,
            answer = excluded.answer,
            expires_at = excluded.expires_at
        where stored.expires_at <= now()
      returning resource_id, answer),
    placed as (
      insert into orders (id, pet_id, status, placed_at, updated_at)
      select answer.id, pet_id, status, placed_at, updated_at
      from answer join stored on stored.resource_id = answer.id)
    select asked.is_mine as "isMine", answer.id, stored.answer, answer.refusal
    from asked
    left join answer on answer.number = asked.number
    left join stored on stored.resource_id = answer.id
    order by asked.number`,
  );

/**
 * The same for requests with an Idempotency-Key, of which no two may be equal: the order and the answer are stored together.
 * A row contains whether nobody else holds the claim, why there is no order, and the answer if the claim was free.
 */
export const PLACE_ORDERS_ONCE = placeOrdersOnce('place_orders_once', SKIPPING);

/** The same for items whose pet was locked. */
export const PLACE_LOCKED_ORDERS_ONCE = placeOrdersOnce('place_orders_once_locked', waiting(5));

const changeOrders = (name: string, locking: Locking): Statement =>
  statement(
    name,
    locking.lane,
    `
    with asked as (
      select *
      from unnest($1::bigint[], $2::order_status[], $3::text[]${locking.parameter})
        as asked (id, wanted, if_match${locking.onRetry(', patience_ms')})),
    -- The pets are locked before their orders, in the order of their identifiers, as everywhere.
    pet as materialized (
      select id
      from pets
      where ${locking.bounded} id = any(array(select pet_id from orders where id = any($1)))
      order by id
      ${locking.lock}),
    present as materialized (
      select o.id, o.pet_id, o.status, o.placed_at, o.updated_at, asked.wanted, asked.if_match${locking.onRetry(', patience_ms')}
      from asked
      join orders as o on o.id = asked.id
      join pet on pet.id = o.pet_id
      order by o.id
      ${locking.lock.replace('update', 'update of o')}),
    -- also those that a lock left out, or that were deleted since the snapshot
    found as (
      select *, true as is_read
      from present
      union all
      select o.id, o.pet_id, o.status, o.placed_at, o.updated_at, asked.wanted, asked.if_match${locking.onRetry(', patience_ms')}, false
      from asked
      join orders as o on o.id = asked.id
      where not exists (select from present where present.id = o.id)),
    -- the tag is that of the row as its lock found it; the tags that a change demands are joined by spaces, null demands none
    decided as materialized (
      select
        *,
        order_may_become(status, wanted) as is_change,
        case when if_match is null then false
             else ${etagSql(ORDERS.json)} <> all(string_to_array(if_match, ' ')) end as has_other_tag${locking.onRetry(IS_LATE)}
      from found as item),
    changed as (
      update orders
      set status = decided.wanted
      from decided
      where orders.id = decided.id and is_read and is_change and not has_other_tag ${locking.onRetry('and not is_late')}
      returning orders.id, orders.pet_id, orders.status, orders.placed_at, orders.updated_at),
    answer as (
      select null as rejection, *
      from changed
      union all
      select
        case when has_other_tag then 'precondition_failed' when is_change then 'locked' end,
        id, pet_id, status, placed_at, updated_at
      from decided
      where not is_read or not is_change or has_other_tag ${locking.onRetry('or is_late')})
    select rejection, id, status, ${ORDERS.json} as json
    from answer as item`,
  );

/**
 * Changes the status of orders, each named once, where `If-Match` holds and the state machine of orders allows it. Rows are the
 * orders that exist, in no order: `precondition_failed`, or `locked` where the order would change but is locked, or null; then the
 * order as it is afterwards, changed or not. The pets follow by a trigger of orders.
 */
export const CHANGE_ORDERS = changeOrders('change_orders', SKIPPING);

/** The same for orders that were locked, or whose pet was. */
export const CHANGE_LOCKED_ORDERS = changeOrders('change_orders_locked', waiting(4));
