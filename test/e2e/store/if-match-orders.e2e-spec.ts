import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { Client } from 'pg';
import { etagOf } from '../../../src/common/etag.js';
import type { OrderStatus } from '../../../src/store/order.js';
import { eventually } from '../../support/eventually.js';
import { startService, type TestService } from '../../support/service.js';
import { addPet, orderInStatus, petStatus, placeOrder } from '../../support/store.js';

let service: TestService;
let replica: TestService;
let key: string;

beforeAll(async () => {
  service = await startService();
  replica = await startService({ databaseUrl: service.databaseUrl });
  ({ key } = await service.issueKey());
});
afterAll(async () => {
  await replica.close();
  await service.close();
});

interface Seen {
  readonly id: number;
  readonly petId: bigint;
  readonly etag: string;
}

async function place(): Promise<Seen> {
  const petId = await addPet(service);
  const placed = await placeOrder(service, key, petId);
  const { id } = (await placed.json()) as { id: number };
  return { id, petId, etag: placed.headers.get('etag') ?? '' };
}

const change = (
  id: number | string,
  status: OrderStatus | 'sold',
  ifMatch?: string,
  on = service,
): Promise<Response> =>
  on.fetch(`/v1/store/orders/${id}`, {
    method: 'PATCH',
    key,
    body: `{"status":"${status}"}`,
    headers: { 'content-type': 'application/json', ...(ifMatch !== undefined && { 'if-match': ifMatch }) },
  });

const find = async (id: number): Promise<string> =>
  await (await service.fetch(`/v1/store/orders/${id}`, { key })).text();

const outcome = async (response: Response): Promise<string> => {
  const { code = '' } = (await response.json()) as { code?: string };
  return `${response.status} ${code}`.trim();
};

/** How many responses there are of each status and code. */
async function outcomes(responses: readonly Promise<Response>[]): Promise<Readonly<Record<string, number>>> {
  const counts: Record<string, number> = {};
  for (const one of await Promise.all(responses.map(async (response) => outcome(await response)))) {
    counts[one] = (counts[one] ?? 0) + 1;
  }
  return counts;
}

/** A busy machine may take longer than a change waits: then it is tried again, with another order. */
async function inTime<Result extends object | string>(scenario: () => Promise<Result>): Promise<Result> {
  for (let triesLeft = 9; ; triesLeft -= 1) {
    const result = await scenario();
    if (triesLeft === 0 || !JSON.stringify(result).includes('503')) return result;
  }
}

describe('If-Match on PATCH /v1/store/orders/{orderId}', () => {
  it.each([
    ['the tag of the order', (etag: string) => etag],
    ['a list with it', (etag: string) => `"other", ${etag}, W/"weak"`],
    ['*', () => '*'],
  ])('200 for %s, with the tag that the order has now', async (_what, ifMatch) => {
    const { id, etag } = await place();
    const changed = await change(id, 'approved', ifMatch(etag));
    expect(changed.status).toBe(200);
    const text = await changed.text();
    expect(text).toBe(await find(id));
    expect(changed.headers.get('etag')).toBe(etagOf(text));
    expect(changed.headers.get('etag')).not.toBe(etag);
    expect((await change(id, 'delivered', changed.headers.get('etag') ?? '')).status).toBe(200);
  });

  it.each([
    ['another tag', () => '"other"'],
    ['a list of others', () => '"other", "another"'],
    ['a weak tag', (etag: string) => `W/${etag}`],
    ['a tag without quotes', (etag: string) => etag.slice(1, -1)],
    ['a malformed list', (etag: string) => `${etag} "other"`],
    ['nothing', () => ''],
  ])('412 for %s, and nothing changes', async (_what, ifMatch) => {
    const { id, petId, etag } = await place();
    const before = await find(id);
    const response = await change(id, 'cancelled', ifMatch(etag));
    expect(response.status).toBe(412);
    expect(await response.json()).toMatchObject({ code: 'precondition_failed', status: 412 });
    expect(response.headers.get('etag')).toBeNull();
    expect(response.headers.get('cache-control')).toBe('no-store');
    expect(await find(id)).toBe(before);
    expect(await petStatus(service, petId)).toBe('pending');
  });

  it('is evaluated after 400 and 404, and before the state machine', async () => {
    const { id, etag } = await place();
    expect(await outcome(await change(id, 'sold', '"other"'))).toBe('400 invalid_body');
    expect(await outcome(await change(4711, 'approved', '"other"'))).toBe('404 order_not_found');
    expect(await outcome(await change(4711, 'approved', '*'))).toBe('404 order_not_found');
    expect(await outcome(await change('rex', 'approved', '"other"'))).toBe('404 order_not_found');
    expect(await outcome(await change(id, 'delivered', '"other"'))).toBe('412 precondition_failed');
    expect(await outcome(await change(id, 'delivered', etag))).toBe('409 order_transition_not_allowed');
  });

  it('holds for a change to the present status, too', async () => {
    const { id, etag } = await place();
    expect(await outcome(await change(id, 'placed', '"other"'))).toBe('412 precondition_failed');
    expect(await outcomes(Array.from({ length: 10 }, () => change(id, 'placed', etag)))).toEqual({ 200: 10 });
  });
});

describe('of many changes that name one tag', () => {
  it.each([1, 2])('exactly one succeeds, on %d replicas, whatever they change it to', async (replicas) => {
    for (let round = 1; round <= 10; round += 1) {
      const seen = await inTime(async () => {
        const { id, etag } = await place();
        const responses = Array.from({ length: 40 }, (_, n) =>
          change(id, n % 3 === 0 ? 'cancelled' : 'approved', etag, n % replicas === 0 ? service : replica),
        );
        return await outcomes(responses);
      });
      expect(seen).toEqual({ 200: 1, '412 precondition_failed': 39 });
    }
  });
});

/** Sends a change while an operator's transaction has changed the order, and ends that. */
async function changeBehindOperator(end: 'commit' | 'rollback'): Promise<string> {
  const { id, etag } = await place();
  const operator = new Client({ connectionString: service.databaseUrl });
  await operator.connect();
  try {
    await operator.query('begin');
    await operator.query(`update orders set status = 'approved' where id = $1`, [id]);
    const { rows: started } = await operator.query<{ now: Date }>('select clock_timestamp() as now');
    const response = change(id, 'cancelled', etag);
    // Until a statement has found the order locked.
    await eventually(async () => {
      const { rows } = await service.prisma.connections.main.query(
        `select from pg_stat_activity where datname = current_database() and application_name = 'petstore'
         and query like '%skip locked%' and query_start > $1`,
        [started[0]?.now],
      );
      expect(rows).not.toHaveLength(0);
    });
    await operator.query(end);
    return await outcome(await response);
  } finally {
    await operator.end();
  }
}

describe('the tag is compared under the lock of the order', () => {
  it('412 when another session changed it meanwhile', async () => {
    expect(await inTime(() => changeBehindOperator('commit'))).toBe('412 precondition_failed');
  });

  it('200 when the other session rolled back', async () => {
    expect(await inTime(() => changeBehindOperator('rollback'))).toBe('200');
  });

  it('412 at once where the lock is held and the tag is old already', async () => {
    const { id } = await orderInStatus(service, key, 'approved');
    const operator = new Client({ connectionString: service.databaseUrl });
    await operator.connect();
    try {
      await operator.query('begin');
      await operator.query('select from orders where id = $1 for update', [id]);
      expect(await outcome(await change(id, 'cancelled', '"old"'))).toBe('412 precondition_failed');
    } finally {
      await operator.query('rollback');
      await operator.end();
    }
  });
});
