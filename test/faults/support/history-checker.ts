import type { Pool } from 'pg';
import { type Exchange, groupBy, type History, isSuccess, isUnknown } from './history.js';

/** What the tables say against what the clients were told. Each finding is a sentence; none is the guarantee. */
export interface Findings {
  /** Acknowledged, and not there. */
  readonly lost: readonly string[];
  /** There twice, there though refused, two winners, a status that nobody asked for, a count that is not the sum. */
  readonly wrong: readonly string[];
}

interface Tables {
  readonly pets: ReadonlyMap<string, readonly string[]>;
  readonly orders: readonly { readonly id: string; readonly petId: string; readonly status: string }[];
}

/** Reads the tables after a run and holds them against its history. */
export async function checkHistory(history: History, pool: Pool): Promise<Findings> {
  const tables = await readTables(pool);
  return {
    lost: [...lostPets(history, tables), ...lostOrders(history, tables)],
    wrong: [
      ...wrongPets(history, tables),
      ...wrongOrders(history, tables),
      ...(await wrongStock(pool)),
      ...(await wrongClaims(pool)),
    ],
  };
}

function lostPets({ exchanges }: History, { pets }: Tables): string[] {
  return exchanges.flatMap(({ status, intent }) => {
    if (!isSuccess(status) || intent?.write !== 'pet') return [];
    return pets.get(intent.name)?.includes(String(intent.id)) === true
      ? []
      : [`animal ${intent.id} was acknowledged and is not there`];
  });
}

function lostOrders({ exchanges }: History, { orders }: Tables): string[] {
  const byId = new Map(orders.map((order) => [order.id, order]));
  return exchanges.flatMap(({ status, intent }) => {
    if (!isSuccess(status) || intent?.write !== 'order') return [];
    return byId.get(String(intent.id))?.petId === String(intent.petId)
      ? []
      : [`order ${intent.id} was acknowledged and is not there`];
  });
}

function wrongPets({ exchanges }: History, { pets }: Tables): string[] {
  const attempts = groupBy(
    exchanges.filter(({ intent }) => intent?.write === 'pet'),
    ({ intent }) => (intent?.write === 'pet' ? intent.name : ''),
  );
  const wrong: string[] = [];
  for (const [name, tries] of attempts) {
    const rows = pets.get(name)?.length ?? 0;
    if (rows > 1) wrong.push(`${name} is there ${rows} times`);
    const isRefused = tries.every((one) => !isSuccess(one.status) && !isUnknown(one));
    if (isRefused && rows > 0) wrong.push(`${name} was refused and is there`);
  }
  return wrong;
}

function wrongOrders({ exchanges }: History, { orders }: Tables): string[] {
  const wrong: string[] = [];
  const tries = groupBy(exchanges, ({ intent }) => (intent?.write === 'order' ? intent.petId : -1n));
  for (const [petId, rows] of groupBy(orders, (order) => BigInt(order.petId))) {
    // The clients cancel nothing: an animal that has an order keeps it.
    if (rows.length > 1) wrong.push(`animal ${petId} has ${rows.length} orders`);
    const asked = tries.get(petId) ?? [];
    if (!asked.some((one) => isSuccess(one.status) || isUnknown(one) || one.code === 'request_in_progress')) {
      wrong.push(`animal ${petId} has an order that was refused`);
    }
  }
  for (const { id, status } of orders) {
    const allowed = statusesOf(id, exchanges);
    if (!allowed.has(status)) wrong.push(`order ${id} is ${status} instead of ${[...allowed].join(' or ')}`);
  }
  return wrong;
}

/** What an order may be: what was acknowledged last, or what was asked for after that without word. */
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

async function wrongStock(pool: Pool): Promise<string[]> {
  const { rows } = await pool.query<{ counted: string; told: string }>(
    `select
       (select row(count(*) filter (where status = 'available'),
                   count(*) filter (where status = 'pending'),
                   count(*) filter (where status = 'sold'))::text from pets) as counted,
       (select row(available, pending, sold)::text from pet_inventory()) as told`,
  );
  return rows.flatMap(({ counted, told }) =>
    counted === told ? [] : [`the inventory tells ${told} of ${counted}`],
  );
}

async function wrongClaims(pool: Pool): Promise<string[]> {
  const { rows } = await pool.query<{ key: string }>(
    `select key
     from idempotency_keys as stored
     where not exists (select from pets where id = stored.resource_id)
       and not exists (select from orders where id = stored.resource_id)`,
  );
  return rows.map(({ key }) => `the answer under ${key} is of nothing that is there`);
}

async function readTables(pool: Pool): Promise<Tables> {
  const pets = await pool.query<{ id: string; name: string }>('select id::text, name from pets');
  const orders = await pool.query<{ id: string; petId: string; status: string }>(
    `select id::text, pet_id::text as "petId", status from orders`,
  );
  const byName = new Map<string, string[]>();
  for (const { id, name } of pets.rows) byName.set(name, [...(byName.get(name) ?? []), id]);
  return { pets: byName, orders: orders.rows };
}
