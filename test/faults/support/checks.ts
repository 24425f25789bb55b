import type { Pool } from 'pg';
import { type Exchange, groupBy, type History, isSuccess, isUnknown } from './history.js';
import { TIGHT_PER_MINUTE } from './mixed-load.js';

/** The tables compared with the responses that clients got. Each finding is a sentence; no finding is the guarantee. */
export interface Findings {
  /** Acknowledged, and not in the tables. */
  readonly lost: readonly string[];
  /** Written twice, written though rejected, two winners, a status that no client requested, a count that is not the sum. */
  readonly wrong: readonly string[];
}

interface OrderRow {
  readonly id: string;
  readonly petId: string;
  readonly status: string;
}

interface Tables {
  /** Identifiers by name. */
  readonly pets: ReadonlyMap<string, readonly string[]>;
  readonly orders: readonly OrderRow[];
}

export async function checkHistory({ exchanges }: History, pool: Pool): Promise<Findings> {
  const pets = await pool.query<{ id: string; name: string }>('select id::text, name from pets');
  const orders = await pool.query<OrderRow>(`select id::text, pet_id::text as "petId", status from orders`);
  const names = groupBy(pets.rows, ({ name }) => name);
  const tables = {
    pets: new Map([...names].map(([name, rows]) => [name, rows.map(({ id }) => id)])),
    orders: orders.rows,
  };
  return {
    lost: lostRows(exchanges, tables),
    wrong: [...wrongPets(exchanges, tables), ...wrongOrders(exchanges, tables), ...(await wrongSums(pool))],
  };
}

function lostRows(exchanges: readonly Exchange[], { pets, orders }: Tables): string[] {
  const byId = new Map(orders.map((order) => [order.id, order]));
  return exchanges.flatMap(({ status, intent }) => {
    if (!isSuccess(status) || intent === undefined || intent.write === 'status') return [];
    const isThere =
      intent.write === 'pet'
        ? pets.get(intent.name)?.includes(String(intent.id)) === true
        : byId.get(String(intent.id))?.petId === String(intent.petId);
    return isThere ? [] : [`${intent.write} ${intent.id} was acknowledged and is lost`];
  });
}

function wrongPets(exchanges: readonly Exchange[], { pets }: Tables): string[] {
  const wrong: string[] = [];
  for (const [name, tries] of groupBy(exchanges, ({ intent }) =>
    intent?.write === 'pet' ? intent.name : undefined,
  )) {
    if (name === undefined) continue;
    const rows = pets.get(name)?.length ?? 0;
    if (rows > 1) wrong.push(`${name} was created ${rows} times`);
    const isRejected = tries.every((one) => !isSuccess(one.status) && !isUnknown(one));
    if (isRejected && rows > 0) wrong.push(`${name} was rejected and created`);
  }
  return wrong;
}

function wrongOrders(exchanges: readonly Exchange[], { orders }: Tables): string[] {
  const wrong: string[] = [];
  const tries = groupBy(exchanges, ({ intent }) => (intent?.write === 'order' ? intent.petId : -1n));
  // The others are those of earlier loads.
  const own = orders.filter(({ petId }) => tries.has(BigInt(petId)));
  for (const [petId, rows] of groupBy(own, (order) => BigInt(order.petId))) {
    // The clients cancel no order, so a pet has one at most.
    if (rows.length > 1) wrong.push(`pet ${petId} has ${rows.length} orders`);
    const mayExist = tries
      .get(petId)
      ?.some((one) => isSuccess(one.status) || isUnknown(one) || one.code === 'request_in_progress');
    if (mayExist !== true) wrong.push(`pet ${petId} has an order that was rejected`);
  }
  for (const { id, status } of own) {
    const allowed = statusesOf(id, exchanges);
    if (!allowed.has(status)) wrong.push(`order ${id} is ${status} instead of ${[...allowed].join(' or ')}`);
  }
  return wrong;
}

/** The status that was acknowledged last, or one that was requested after that with an unknown outcome. */
function statusesOf(orderId: string, exchanges: readonly Exchange[]): ReadonlySet<string> {
  const allowed = new Set(['placed']);
  for (const exchange of exchanges) {
    const { intent, status } = exchange;
    if (intent?.write !== 'status' || String(intent.orderId) !== orderId) continue;
    if (isSuccess(status)) allowed.clear();
    if (isSuccess(status) || isUnknown(exchange)) allowed.add(intent.status);
  }
  return allowed;
}

async function wrongSums(pool: Pool): Promise<string[]> {
  const { rows } = await pool.query<{ counted: string; stored: string; dangling: number }>(
    `select
       (select row(count(*) filter (where status = 'available'),
                   count(*) filter (where status = 'pending'),
                   count(*) filter (where status = 'sold'))::text from pets) as counted,
       (select row(available, pending, sold)::text from pet_inventory()) as stored,
       (select count(*)::int from idempotency_keys as k
        where not exists (select from pets where id = k.resource_id)
          and not exists (select from orders where id = k.resource_id)) as dangling`,
  );
  const wrong: string[] = [];
  for (const { counted, stored, dangling } of rows) {
    if (counted !== stored) wrong.push(`the inventory is ${stored} instead of ${counted}`);
    if (dangling > 0) wrong.push(`${dangling} idempotency records name no row`);
  }
  return wrong;
}

export interface LimitFindings {
  /** Windows in which more was admitted than the limit and the counts that are missing, each as a sentence. */
  readonly exceeded: readonly string[];
  /** Requests that were admitted, as their responses say, and that the tables do not count. */
  readonly uncounted: number;
  /** Windows whose limit was reached. */
  readonly reached: number;
}

/** @param tightKeys the keys with a limit of `TIGHT_PER_MINUTE` */
export async function checkLimits(
  { exchanges }: History,
  pool: Pool,
  tightKeys: ReadonlySet<bigint>,
): Promise<LimitFindings> {
  // A 503 may have been counted or not; any other response of a key was.
  const admitted = exchanges.filter(({ status }) => ![0, 401, 429, 503].includes(status));
  const { rows } = await pool.query<{ id: string; admitted: string }>(
    `select api_key_id::text as id, sum(admitted)::text as admitted
     from (
       select api_key_id, day_admitted as admitted from api_key_counters
       union all
       select api_key_id, admitted from api_key_usage) as days
     group by api_key_id`,
  );
  const counts = new Map(rows.map((row) => [BigInt(row.id), Number(row.admitted)]));
  const exceeded: string[] = [];
  let uncounted = 0;
  let reached = 0;
  for (const [keyId, requests] of groupBy(admitted, (one) => one.keyId)) {
    let missing = Math.max(0, requests.length - (counts.get(keyId) ?? 0));
    uncounted += missing;
    if (!tightKeys.has(keyId)) continue;
    for (const [resetSeconds, { length }] of groupBy(requests, (one) => one.resetSeconds)) {
      if (length >= TIGHT_PER_MINUTE) reached += 1;
      const excess = Math.max(0, length - TIGHT_PER_MINUTE);
      // A request whose count a crash lost is admitted once more.
      if (excess <= missing) missing -= excess;
      else
        exceeded.push(`key ${keyId}, minute that ends at ${resetSeconds}: ${length} of ${TIGHT_PER_MINUTE}`);
    }
  }
  return { exceeded, uncounted, reached };
}
