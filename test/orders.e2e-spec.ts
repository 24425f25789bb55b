import { describe, expect, it } from '@jest/globals';
import { encodeCursor } from '../src/resources/pagination.js';
import { ORDER_STATUSES, type OrderStatus } from '../src/store/orders.dto.js';
import { LIST_ORDERS } from '../src/store/orders.sql.js';
import { eventually } from './support/eventually.js';
import { linkOf, walk } from './support/paging.js';
import { processTimeMs } from './support/process-time.js';
import {
  addPet,
  addPets,
  changeOrder,
  type OrderBody,
  orderInStatus,
  patchOrder,
  petStatus,
  placeOrder,
  postOrder,
} from './support/store.js';
import { useReplicas, useService } from './support/use-service.js';

const errorOf = async (response: Response): Promise<unknown> => await response.json();
const count = (statuses: readonly number[], status: number): number =>
  statuses.filter((one) => one === status).length;

describe('POST /v1/store/orders', () => {
  const service = useService();
  const replicas = useReplicas(service, 1);

  it('responds with the order, its instants and its Location, and makes the pet pending', async () => {
    const petId = await addPet(service);
    const response = await placeOrder(service, petId);
    expect(response.status).toBe(201);
    const text = await response.text();
    const order = JSON.parse(text) as OrderBody;
    const instant = String.raw`\d{4}-\d{2}-\d{2}T\d{2}:\d{2}:\d{2}\.\d{3}Z`;
    expect(text).toMatch(
      new RegExp(
        `^\\{"id":\\d+,"petId":${petId},"status":"placed","placedAt":"(${instant})","updatedAt":"\\1"\\}$`,
      ),
    );
    expect(Math.abs(Date.parse(order.placedAt) - Date.now())).toBeLessThan(60_000);
    expect(response.headers.get('location')).toBe(`/v1/store/orders/${order.id}`);
    expect(await petStatus(service, petId)).toBe('pending');
    expect(await (await service.get(`/v1/store/orders/${order.id}`)).text()).toBe(text);
  });

  it.each(['9223372036854775807', '-9223372036854775808', '9007199254740993'])(
    'orders the pet %s by its exact identifier',
    async (id) => {
      await service.pool.query(
        `insert into pets (id, name, category_id, status) values ($1, 'Edge', 1, 'available')`,
        [id],
      );
      const response = await postOrder(service, `{"petId":${id}}`);
      expect([response.status, await response.text()]).toEqual([
        201,
        expect.stringContaining(`"petId":${id},`),
      ]);
    },
  );

  it.each(['.0', 'e0', '.000e0'])('takes an integer written with %s', async (tail) => {
    const petId = await addPet(service);
    const response = await postOrder(service, `{"petId":${petId}${tail}}`);
    expect(await response.json()).toMatchObject({ petId: Number(petId) });
  });

  it('ignores members that it does not know, an id and a status among them', async () => {
    const petId = await addPet(service);
    const response = await postOrder(service, `{"id":1,"petId":${petId},"status":"delivered","x":[{}]}`);
    expect(await response.json()).toMatchObject({ status: 'placed', petId: Number(petId) });
  });

  it.each(['0', '-1', '9223372036854775806'])('400: there is no pet %s to order', async (petId) => {
    expect(await errorOf(await postOrder(service, `{"petId":${petId}}`))).toEqual({
      code: 'unknown_pet',
      message: 'There is no pet with this petId.',
      status: 400,
    });
  });

  it.each(['null', '"7"', 'true', '7.5', '[7]', '{}', '9223372036854775808', '1e30'])(
    '400: names petId as what is wrong with %s',
    async (petId) => {
      expect(await errorOf(await postOrder(service, `{"petId":${petId}}`))).toMatchObject({
        code: 'invalid_body',
        message: expect.stringMatching(/^petId must/),
      });
    },
  );

  it.each(['pending', 'sold', null] as const)('409: a pet that is %s is not available', async (status) => {
    const petId = await addPet(service, status);
    expect(await errorOf(await placeOrder(service, petId))).toEqual({
      code: 'pet_not_available',
      message: 'The pet is not available.',
      status: 409,
    });
    expect(await petStatus(service, petId)).toBe(status);
  });

  it('orders nothing without a key', async () => {
    const petId = await addPet(service);
    const init = {
      method: 'POST',
      body: `{"petId":${petId}}`,
      headers: { 'content-type': 'application/json' },
    };
    expect((await service.fetch('/v1/store/orders', init)).status).toBe(401);
    expect(await petStatus(service, petId)).toBe('available');
  });

  it('responds to many different orders at once, to each with its own outcome', async () => {
    const available = await addPets(service, 60);
    const sold = await addPets(service, 60, 'sold');
    const petIds = available.flatMap((id, index) => [id, sold[index] ?? 0n, -1n - BigInt(index)]);
    const outcomes = await Promise.all(
      petIds.map(async (petId) => {
        const { petId: ordered, code } = (await (await placeOrder(service, petId)).json()) as Record<
          string,
          unknown
        >;
        return ordered ?? code;
      }),
    );
    expect(outcomes).toEqual(available.flatMap((id) => [Number(id), 'pet_not_available', 'unknown_pet']));
  });

  it.each(['without', 'with'])(
    'gives one pet to exactly one of 80 orders at once on two replicas, %s an Idempotency-Key',
    async (how) => {
      for (const petId of await addPets(service, 5)) {
        const statuses = await Promise.all(
          Array.from({ length: 80 }, async (_, n) => {
            const { fetch } = n % 2 === 0 ? service : (replicas[0] ?? service);
            const { status } = await fetch('/v1/store/orders', {
              method: 'POST',
              key: service.key,
              body: `{"petId":${petId}}`,
              headers: {
                'content-type': 'application/json',
                ...(how === 'with' && { 'idempotency-key': `race-${petId}-${n}` }),
              },
            });
            return status;
          }),
        );
        expect([count(statuses, 201), count(statuses, 409)]).toEqual([1, 79]);
      }
      const { rows } = await service.pool.query(
        `select (select max(orders) from (select count(*) as orders from orders group by pet_id) as pets) as most, deadlocks
         from pg_stat_database where datname = current_database()`,
      );
      expect(rows).toEqual([{ most: 1n, deadlocks: 0n }]);
    },
  );
});

describe('GET /v1/store/orders', () => {
  const service = useService();
  const fill = async (): Promise<void> => {
    const { pool } = service;
    await pool.query('truncate pets, orders restart identity');
    await pool.query('insert into orders (pet_id) select unnest($1::bigint[])', [
      await addPets(service, 120),
    ]);
    await pool.query(`update orders set status = 'approved' where id % 4 in (1, 2)`);
    await pool.query(`update orders set status = 'delivered' where id % 4 = 2`);
    await pool.query(`update orders set status = 'cancelled' where id % 4 = 3`);
  };
  const list = async (query: string): Promise<readonly OrderBody[]> =>
    (await (await service.get(`/v1/store/orders${query}`)).json()) as readonly OrderBody[];

  it('responds with 20 orders by identifier without parameters', async () => {
    await fill();
    const orders = await list('');
    expect(orders.map(({ id }) => id)).toEqual(Array.from({ length: 20 }, (_, index) => index + 1));
    expect(Object.keys(orders[0] ?? {})).toEqual(['id', 'petId', 'status', 'placedAt', 'updatedAt']);
  });

  it('responds with the orders of a status, also where many other queries come at once', async () => {
    await fill();
    const queries = Array.from(
      { length: 80 },
      (_, index) => [ORDER_STATUSES[index % 4] ?? 'placed', index + 1] as const,
    );
    const pages = await Promise.all(
      queries.map(([status, limit]) => list(`?status=${status}&limit=${limit}`)),
    );
    for (const [index, [status, limit]] of queries.entries()) {
      const statuses = pages[index]?.map((order) => order.status);
      expect(statuses).toEqual(Array.from({ length: Math.min(limit, 30) }, () => status));
    }
  });

  it('lists each order once in pages of 7, by the links alone, which keep the filter', async () => {
    await fill();
    const ids: number[] = [];
    for await (const page of walk(service, service.key, '/v1/store/orders?limit=7'))
      ids.push(...page.map(({ id }) => id));
    expect(ids).toEqual(Array.from({ length: 120 }, (_, index) => index + 1));
    const first = await service.get('/v1/store/orders?status=placed&limit=29');
    const last = await service.get(linkOf(first, 'next') ?? '');
    expect(await last.json()).toHaveLength(1);
    expect(last.headers.get('link')).toBe('</v1/store/orders?status=placed&limit=29>; rel="first"');
  });

  it('responds with the orders of a pet, of one status too, in pages that keep the filter, whatever comes at once', async () => {
    await fill();
    const { pool } = service;
    // Orders of both in turns, so that their ids alternate.
    await pool.query(`update orders set status = 'approved' where status = 'placed'`);
    await pool.query(`update orders set status = 'cancelled' where pet_id in (1, 4) and status = 'approved'`);
    for (let n = 0; n < 25; n += 1) {
      await pool.query('insert into orders (pet_id) values (1), (4)');
      await pool.query(`update orders set status = 'cancelled' where status = 'placed'`);
    }
    const { rows } = await pool.query<{ id: bigint; pet_id: bigint; status: string }>(
      'select id, pet_id, status from orders order by id',
    );
    const expected = (petId: string, status?: string): number[] =>
      rows
        .filter((row) => String(row.pet_id) === petId && (status === undefined || row.status === status))
        .map(({ id }) => Number(id));
    const filters = ['1', '4', '2', '4711', '-1'].flatMap((petId) =>
      [undefined, 'cancelled', 'approved'].map((status) => [petId, status] as const),
    );
    const found = filters.map(async ([petId, status]) => {
      const filter = status === undefined ? '' : `&status=${status}`;
      const ids: number[] = [];
      for await (const page of walk(service, service.key, `/v1/store/orders?limit=7&petId=${petId}${filter}`))
        ids.push(...page.map(({ id }) => id));
      return ids;
    });
    expect(await Promise.all(found)).toEqual(filters.map(([petId, status]) => expected(petId, status)));
    expect(expected('1', 'cancelled').length).toBeGreaterThan(25);
  });

  it('reads no other orders than those of the page and the first of the next one', async () => {
    await fill();
    const { pool } = service;
    await pool.query(
      `alter table orders disable trigger user;
       insert into orders (pet_id, status) select n % 3 + 1, 'cancelled' from generate_series(1, 30000) as n;
       alter table orders enable trigger user;
       analyze orders`,
    );
    const client = await pool.connect();
    try {
      await client.query('set plan_cache_mode = force_generic_plan');
      await client.query(`prepare of_pet as ${LIST_ORDERS.statement.text}`);
      for (const [status, index] of [
        ['null', 'orders_pet_id_id_idx on orders listed\\w* .*rows=21'],
        ['placed', 'orders_status_pet_id_id_idx on orders listed\\w* .*rows=0'],
      ] as const) {
        const explained = await client.query<{ 'QUERY PLAN': string }>(
          `explain (analyze, costs off, timing off, summary off) execute of_pet ('{9000}', '{20}', '{${status}}', '{2}')`,
        );
        const plan = explained.rows.map((row) => row['QUERY PLAN']).join('\n');
        expect(plan).toMatch(new RegExp(`Index Scan using ${index}`));
        expect(plan).not.toMatch(/Seq Scan on orders|Rows Removed/);
      }
    } finally {
      await client.query('reset plan_cache_mode; deallocate of_pet');
      client.release();
    }
  });

  it.each([
    ['limit', ['0', '101']],
    ['petId', ['', 'rex', '01', '9223372036854775808', '1&petId=2']],
    ['status', ['', 'available', 'placed&status=placed']],
    [
      'cursor',
      [
        ...['1', encodeCursor('/v1/pets?', 1n), encodeCursor('/v1/store/orders?status=placed&', 1n)],
        `${encodeCursor('/v1/store/orders?petId=1&', 1n)}&petId=2`,
      ],
    ],
  ])('400: names %s as what is wrong with it: %j', async (name, values) => {
    for (const value of values) {
      expect(await errorOf(await service.get(`/v1/store/orders?${name}=${value}`))).toMatchObject({
        code: 'invalid_parameter',
        message: expect.stringMatching(new RegExp(`^${name} must`)),
      });
    }
  });

  it.each(['0', '4711000', '9223372036854775807', '9223372036854775808', '-1', '01', '+1', '1.0', 'rex'])(
    '404: there is no order %s to find or change',
    async (orderId) => {
      for (const response of [
        await service.get(`/v1/store/orders/${orderId}`),
        await changeOrder(service, orderId, 'approved'),
      ]) {
        expect(await errorOf(response)).toEqual({
          code: 'order_not_found',
          message: 'There is no order with this orderId.',
          status: 404,
        });
      }
    },
  );
});

describe('PATCH /v1/store/orders/{orderId}', () => {
  const service = useService();
  const hasty = useReplicas(service, 1, { provokes503: true });
  const find = async (id: number): Promise<OrderBody> =>
    (await (await service.get(`/v1/store/orders/${id}`)).json()) as OrderBody;

  const allowed: readonly (readonly [OrderStatus, OrderStatus, string])[] = [
    ['placed', 'approved', 'pending'],
    ['approved', 'delivered', 'sold'],
    ['placed', 'cancelled', 'available'],
    ['approved', 'cancelled', 'available'],
  ];
  const forbidden = ORDER_STATUSES.flatMap((from) => ORDER_STATUSES.map((to) => [from, to] as const)).filter(
    ([from, to]) => from !== to && !allowed.some(([one, other]) => one === from && other === to),
  );

  it.each(allowed)(
    'changes an order from %s to %s, and its pet is then %s',
    async (from, to, petStatusAfter) => {
      const order = await orderInStatus(service, from);
      const response = await changeOrder(service, order.id, to);
      const changed = (await response.json()) as OrderBody;
      expect(changed).toEqual({ ...order, status: to, updatedAt: changed.updatedAt });
      expect(changed.updatedAt >= order.updatedAt).toBe(true);
      expect(await find(order.id)).toEqual(changed);
      expect(await petStatus(service, BigInt(order.petId))).toBe(petStatusAfter);
    },
  );

  it.each(ORDER_STATUSES)('changes nothing of an order that is %s already', async (status) => {
    const order = await orderInStatus(service, status);
    const before = await petStatus(service, BigInt(order.petId));
    expect(await (await changeOrder(service, order.id, status)).json()).toEqual(order);
    expect(await petStatus(service, BigInt(order.petId))).toBe(before);
  });

  it.each(forbidden)('409: does not change an order from %s to %s', async (from, to) => {
    const order = await orderInStatus(service, from);
    const before = await petStatus(service, BigInt(order.petId));
    expect(await errorOf(await changeOrder(service, order.id, to))).toEqual({
      code: 'order_transition_not_allowed',
      message: `The order is ${from} and cannot become ${to}.`,
      status: 409,
    });
    expect(await find(order.id)).toEqual(order);
    expect(await petStatus(service, BigInt(order.petId))).toBe(before);
  });

  it('400: names status as what is wrong', async () => {
    const order = await orderInStatus(service, 'placed');
    for (const body of [
      '{}',
      '{"status":null}',
      '{"status":"sold"}',
      '{"status":"Approved"}',
      '{"status":["approved"]}',
    ]) {
      expect(await errorOf(await patchOrder(service, order.id, body))).toEqual({
        code: 'invalid_body',
        message: 'status must be one of placed, approved, delivered, cancelled.',
        status: 400,
      });
    }
    expect(await find(order.id)).toEqual(order);
  });

  it('gives the same response to all that request the same change at once', async () => {
    const { id } = await orderInStatus(service, 'placed');
    const bodies = await Promise.all(
      Array.from({ length: 50 }, async () => await (await changeOrder(service, id, 'approved')).text()),
    );
    expect(new Set(bodies)).toEqual(new Set([JSON.stringify(await find(id))]));
  });

  it('lets exactly one of a delivery and a cancellation at once succeed', async () => {
    const orders = await Promise.all(Array.from({ length: 30 }, () => orderInStatus(service, 'approved')));
    await Promise.all(
      orders.map(async ({ id, petId }) => {
        const changes = await Promise.all([
          changeOrder(service, id, 'delivered'),
          changeOrder(service, id, 'cancelled'),
        ]);
        const [delivery = 0, cancellation = 0] = changes.map(({ status }) => status);
        expect(delivery + cancellation).toBe(200 + 409);
        expect(await petStatus(service, BigInt(petId))).toBe(delivery === 200 ? 'sold' : 'available');
      }),
    );
  });

  it('responds within two seconds, however many change the same order while the database is slow', async () => {
    const { id } = await orderInStatus(service, 'placed');
    await service.pool.query(`
      create function slow() returns trigger language plpgsql as $$ begin perform pg_sleep(0.7); return null; end $$;
      create trigger slow before update on orders for each statement execute function slow()`);
    const startedMs = processTimeMs();
    const responses = await Promise.all(
      ORDER_STATUSES.map(async (status) => ({
        status: (await changeOrder(hasty[0] ?? service, id, status)).status,
        ms: processTimeMs() - startedMs,
      })),
    );
    // A statement that still runs keeps the table for longer than a lock is awaited.
    await eventually(() => service.pool.query('drop function slow cascade'));
    expect(Math.max(...responses.map(({ ms }) => ms))).toBeLessThan(2000);
    expect(responses.filter(({ status }) => status === 503)).not.toHaveLength(0);
  });
});
