import { describe, expect, it } from '@jest/globals';
import { encodeCursor } from '../src/resources/pagination.js';
import { ORDER_STATUSES, type OrderStatus } from '../src/store/orders.dto.js';
import { LIST_ORDERS } from '../src/store/orders.sql.js';
import { eventually } from './support/eventually.js';
import { linkOf, walk } from './support/paging.js';
import { processTimeMs } from './support/process-time.js';
import { rejections } from './support/rejections.js';
import {
  addPet,
  addPets,
  changeOrder,
  type OrderBody,
  orderInStatus,
  petStatus,
  placeOrder,
  postOrder,
} from './support/store.js';
import { useReplicas, useService } from './support/use-service.js';

const upTo = (count: number): number[] => Array.from({ length: count }, (_, index) => index + 1);

describe('POST /v1/store/orders', () => {
  const service = useService();
  const replicas = useReplicas(service, 1);

  it('responds with the order, its instants and its Location, and makes the pet pending', async () => {
    const petId = await addPet(service);
    const response = await placeOrder(service, petId);
    const text = await response.text();
    const instant = String.raw`\d{4}-\d{2}-\d{2}T\d{2}:\d{2}:\d{2}\.\d{3}Z`;
    const form = `^\\{"id":(\\d+),"petId":${petId},"status":"placed","placedAt":"(${instant})","updatedAt":"\\2"\\}$`;
    expect([response.status, text]).toEqual([201, expect.stringMatching(new RegExp(form))]);
    const { id, placedAt } = JSON.parse(text) as OrderBody;
    expect(Math.abs(Date.parse(placedAt) - Date.now())).toBeLessThan(60_000);
    expect(response.headers.get('location')).toBe(`/v1/store/orders/${id}`);
    expect(await petStatus(service, petId)).toBe('pending');
    expect(await (await service.get(`/v1/store/orders/${id}`)).text()).toBe(text);
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

  it.each([
    ['takes an integer written with .0', (id: bigint) => `{"petId":${id}.0}`],
    ['takes an integer written with e0', (id: bigint) => `{"petId":${id}e0}`],
    ['takes an integer written with .000e0', (id: bigint) => `{"petId":${id}.000e0}`],
    [
      'ignores other members, an id and a status among them',
      (id: bigint) => `{"id":1,"petId":${id},"status":"delivered","x":[{}]}`,
    ],
  ])('%s', async (_what, bodyOf) => {
    const petId = await addPet(service);
    const order = await (await postOrder(service, bodyOf(petId))).json();
    expect(order).toMatchObject({ status: 'placed', petId: Number(petId) });
  });

  rejections(
    service,
    `
POST /v1/store/orders {"petId":0} → 400 unknown_pet There is no pet with this petId.
POST /v1/store/orders {"petId":-1} → 400 unknown_pet There is no pet with this petId.
POST /v1/store/orders {"petId":9223372036854775806} → 400 unknown_pet There is no pet with this petId.
POST /v1/store/orders {"petId":null} → 400 invalid_body petId must…
POST /v1/store/orders {"petId":"7"} → 400 invalid_body petId must…
POST /v1/store/orders {"petId":true} → 400 invalid_body petId must…
POST /v1/store/orders {"petId":7.5} → 400 invalid_body petId must…
POST /v1/store/orders {"petId":[7]} → 400 invalid_body petId must…
POST /v1/store/orders {"petId":{}} → 400 invalid_body petId must…
POST /v1/store/orders {"petId":9223372036854775808} → 400 invalid_body petId must…
POST /v1/store/orders {"petId":1e30} → 400 invalid_body petId must…
`,
  );

  it.each(['pending', 'sold', null] as const)('409: a pet that is %s is not available', async (status) => {
    const petId = await addPet(service, status);
    const error = { code: 'pet_not_available', message: 'The pet is not available.', status: 409 };
    expect(await (await placeOrder(service, petId)).json()).toEqual(error);
    expect(await petStatus(service, petId)).toBe(status);
  });

  it('responds to concurrent orders, each with its own outcome', async () => {
    const available = await addPets(service, 60);
    const sold = await addPets(service, 60, 'sold');
    const petIds = available.flatMap((id, index) => [id, sold[index] ?? 0n, -1n - BigInt(index)]);
    const bodies = await Promise.all(petIds.map(async (id) => (await placeOrder(service, id)).json()));
    const outcomes = (bodies as { petId?: number; code?: string }[]).map(({ petId, code }) => petId ?? code);
    expect(outcomes).toEqual(available.flatMap((id) => [Number(id), 'pet_not_available', 'unknown_pet']));
  });

  it.each(['without', 'with'])(
    'gives one pet to exactly one of 80 orders at once on two replicas, %s an Idempotency-Key',
    async (how) => {
      for (const petId of await addPets(service, 5)) {
        const racing = upTo(80).map((n) =>
          (n % 2 === 0 ? service : (replicas[0] ?? service)).post(
            '/v1/store/orders',
            `{"petId":${petId}}`,
            how === 'with' ? { 'idempotency-key': `race-${petId}-${n}` } : {},
          ),
        );
        const statuses = (await Promise.all(racing)).map(({ status }) => status);
        expect(statuses.toSorted((one, other) => one - other)).toEqual([201, ...Array<number>(79).fill(409)]);
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
  /** 120 orders of as many pets: of each four one is approved, one delivered, one cancelled. */
  const fill = async (): Promise<void> => {
    await service.pool.query('truncate pets, orders restart identity');
    const pets = await addPets(service, 120);
    await service.pool.query('insert into orders (pet_id) select unnest($1::bigint[])', [pets]);
    await service.pool.query(`update orders set status = 'approved' where id % 4 in (1, 2)`);
    await service.pool.query(`update orders set status = 'delivered' where id % 4 = 2`);
    await service.pool.query(`update orders set status = 'cancelled' where id % 4 = 3`);
  };
  const list = async (query: string): Promise<readonly OrderBody[]> =>
    (await (await service.get(`/v1/store/orders${query}`)).json()) as readonly OrderBody[];
  const idsOf = async (query: string): Promise<readonly number[]> => {
    const ids: number[] = [];
    for await (const page of walk(service, service.key, `/v1/store/orders${query}`))
      ids.push(...page.map(({ id }) => id));
    return ids;
  };

  it('responds with 20 orders by identifier without parameters', async () => {
    await fill();
    const orders = await list('');
    expect(orders.map(({ id }) => id)).toEqual(upTo(20));
    expect(Object.keys(orders[0] ?? {})).toEqual(['id', 'petId', 'status', 'placedAt', 'updatedAt']);
  });

  it('responds with the orders of a status, even under concurrent queries', async () => {
    await fill();
    const queries = upTo(80).map((limit) => ({ limit, status: ORDER_STATUSES[limit % 4] ?? 'placed' }));
    const pages = await Promise.all(
      queries.map(({ limit, status }) => list(`?status=${status}&limit=${limit}`)),
    );
    expect(pages.map((page) => page.map(({ status }) => status))).toEqual(
      queries.map(({ limit, status }) => Array<OrderStatus>(Math.min(limit, 30)).fill(status)),
    );
  });

  it('lists each order once in pages of 7, by the links alone, which keep the filter', async () => {
    await fill();
    expect(await idsOf('?limit=7')).toEqual(upTo(120));
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
    const { rows } = await pool.query<{ id: bigint; pet: bigint; status: string }>(
      'select id, pet_id as pet, status from orders order by id',
    );
    const filters = [1, 4, 2, 4711, -1].flatMap((pet) =>
      [[], ['cancelled'], ['approved'], ['placed', 'cancelled', 'approved']].flatMap((statuses) =>
        ['id', '-id'].flatMap((sort) => [
          { pet, statuses, sort },
          { pet: undefined, statuses, sort },
        ]),
      ),
    );
    const found = filters.map(({ pet, statuses, sort }) =>
      idsOf(
        `?limit=17&sort=${sort}${pet === undefined ? '' : `&petId=${pet}`}${statuses.map((one) => `&status=${one}`).join('')}`,
      ),
    );
    const expected = filters.map(({ pet, statuses, sort }) => {
      const ids = rows
        .filter((row) => pet === undefined || Number(row.pet) === pet)
        .filter(({ status }) => statuses.length === 0 || statuses.includes(status))
        .map(({ id }) => Number(id));
      return sort === 'id' ? ids : ids.toReversed();
    });
    expect(await Promise.all(found)).toEqual(expected);
    expect(expected.filter((ids) => ids.length > 25).length).toBeGreaterThan(20);
  });

  it('reads only the orders of the page and the first of the next', async () => {
    await fill();
    await service.pool.query(
      `alter table orders disable trigger user;
       insert into orders (pet_id, status) select n % 3 + 1, 'cancelled' from generate_series(1, 30000) as n;
       alter table orders enable trigger user;
       analyze orders`,
    );
    const client = await service.pool.connect();
    try {
      await client.query('set plan_cache_mode = force_generic_plan');
      await client.query(`prepare of_pet as ${LIST_ORDERS.id.statement.text}`);
      for (const [status, index] of [
        ['null', 'orders_pet_id_id_idx on orders listed\\w* .*rows=21'],
        ['"{placed}"', 'orders_status_pet_id_id_idx on orders listed\\w* .*rows=0'],
      ] as const) {
        const { rows } = await client.query<{ 'QUERY PLAN': string }>(
          `explain (analyze, costs off, timing off, summary off) execute of_pet ('{9000}', '{20}', '{${status}}', '{2}')`,
        );
        const plan = rows.map((row) => row['QUERY PLAN']).join('\n');
        expect(plan).toMatch(new RegExp(`Index Scan using ${index}`));
        expect(plan).not.toMatch(/Seq Scan on orders|Rows Removed/);
      }
    } finally {
      await client.query('reset plan_cache_mode; deallocate of_pet');
      client.release();
    }
  });

  const OTHERS = ['/v1/pets?', '/v1/store/orders?status=placed&', '/v1/store/orders?petId=1&'].map((of) =>
    encodeCursor(of, 1n),
  );
  rejections(
    service,
    `
GET /v1/store/orders?limit=0 → 400 invalid_parameter limit must…
GET /v1/store/orders?limit=101 → 400 invalid_parameter limit must…
GET /v1/store/orders?petId= → 400 invalid_parameter petId must…
GET /v1/store/orders?petId=rex → 400 invalid_parameter petId must…
GET /v1/store/orders?petId=01 → 400 invalid_parameter petId must…
GET /v1/store/orders?petId=9223372036854775808 → 400 invalid_parameter petId must…
GET /v1/store/orders?petId=1&petId=2 → 400 invalid_parameter petId may be given only once.
GET /v1/store/orders?status= → 400 invalid_parameter status must…
GET /v1/store/orders?status=available → 400 invalid_parameter status must…
GET /v1/store/orders?sort=status → 400 invalid_parameter sort must…
GET /v1/store/orders?cursor=1 → 400 invalid_parameter cursor must…
GET /v1/store/orders?cursor=${OTHERS[0]} → 400 invalid_parameter cursor must…
GET /v1/store/orders?cursor=${OTHERS[1]} → 400 invalid_parameter cursor must…
GET /v1/store/orders?cursor=${OTHERS[2]}&petId=2 → 400 invalid_parameter cursor must…
${['0', '4711000', '9223372036854775807', '9223372036854775808', '-1', '01', '+1', '1.0', 'rex']
  .flatMap((id) => [`GET /v1/store/orders/${id}`, `PATCH /v1/store/orders/${id} {"status":"approved"}`])
  .map((request) => `${request} → 404 order_not_found There is no order with this orderId.`)
  .join('\n')}
`,
  );
});

describe('PATCH /v1/store/orders/{orderId}', () => {
  const service = useService();
  const hasty = useReplicas(service, 1, { provokes503: true });
  const find = async (id: number): Promise<OrderBody> =>
    (await (await service.get(`/v1/store/orders/${id}`)).json()) as OrderBody;

  /** From each status to each: that of the pet afterwards, or nothing where it is not allowed. */
  const CHANGES: Readonly<Record<OrderStatus, Partial<Record<OrderStatus, string>>>> = {
    placed: { placed: 'pending', approved: 'pending', cancelled: 'available' },
    approved: { approved: 'pending', delivered: 'sold', cancelled: 'available' },
    delivered: { delivered: 'sold' },
    cancelled: { cancelled: 'available' },
  };

  it.each(ORDER_STATUSES.flatMap((from) => ORDER_STATUSES.map((to) => [from, to] as const)))(
    'takes an order from %s to %s, with its pet, exactly where that is allowed',
    async (from, to) => {
      const order = await orderInStatus(service, from);
      const before = await petStatus(service, BigInt(order.petId));
      const body = (await (await changeOrder(service, order.id, to)).json()) as OrderBody;
      const petAfter = CHANGES[from][to];
      if (petAfter === undefined) {
        const message = `The order is ${from} and cannot become ${to}.`;
        expect(body).toEqual({ code: 'order_transition_not_allowed', message, status: 409 });
      } else {
        expect(body).toEqual({
          ...order,
          status: to,
          updatedAt: from === to ? order.updatedAt : expect.any(String),
        });
        expect(body.updatedAt >= order.updatedAt).toBe(true);
      }
      expect(await find(order.id)).toEqual(petAfter === undefined ? order : body);
      expect(await petStatus(service, BigInt(order.petId))).toBe(petAfter ?? before);
    },
  );

  rejections(
    service,
    `
PATCH /v1/store/orders/{id} {} → 400 invalid_body status is required.
PATCH /v1/store/orders/{id} {"status":null} → 400 invalid_body status must be a JSON string, not null.
PATCH /v1/store/orders/{id} {"status":["approved"]} → 400 invalid_body status must be a JSON string, not an array.
PATCH /v1/store/orders/{id} {"status":"sold"} → 400 invalid_body status must be one of placed, approved, delivered, cancelled.
PATCH /v1/store/orders/{id} {"status":"Approved"} → 400 invalid_body status must be one of placed, approved, delivered, cancelled.
`,
    async (line) => line.replace('{id}', String((await orderInStatus(service, 'placed')).id)),
  );

  it('returns the same response to concurrent equal changes', async () => {
    const { id } = await orderInStatus(service, 'placed');
    const bodies = await Promise.all(
      upTo(50).map(async () => (await changeOrder(service, id, 'approved')).text()),
    );
    expect(new Set(bodies)).toEqual(new Set([JSON.stringify(await find(id))]));
  });

  const race = async (): Promise<string> => {
    const { id, petId } = await orderInStatus(service, 'approved');
    const changes = [changeOrder(service, id, 'delivered'), changeOrder(service, id, 'cancelled')];
    const statuses = (await Promise.all(changes)).map(({ status }) => status);
    return `${statuses.join(' ')} ${await petStatus(service, BigInt(petId))}`;
  };

  it('lets exactly one of a concurrent delivery and cancellation win', async () => {
    for (const outcome of await Promise.all(upTo(30).map(race)))
      expect(['200 409 sold', '409 200 available']).toContain(outcome);
  });

  it('responds within two seconds, however many change the same order while the database is slow', async () => {
    const { id } = await orderInStatus(service, 'placed');
    await service.pool.query(`
      create function slow() returns trigger language plpgsql as $$ begin perform pg_sleep(0.7); return null; end $$;
      create trigger slow before update on orders for each statement execute function slow()`);
    const startedMs = processTimeMs();
    const responses = await Promise.all(
      ORDER_STATUSES.map(async (status) => {
        const response = await changeOrder(hasty[0] ?? service, id, status);
        return { status: response.status, ms: processTimeMs() - startedMs };
      }),
    );
    // A statement that still runs keeps the table for longer than a lock is awaited.
    await eventually(() => service.pool.query('drop function slow cascade'));
    expect(Math.max(...responses.map(({ ms }) => ms))).toBeLessThan(2000);
    expect(responses.filter(({ status }) => status === 503)).not.toHaveLength(0);
  });
});
