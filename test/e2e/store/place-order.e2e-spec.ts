import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { startService, type TestService } from '../../support/service.js';
import {
  addPet,
  addPets,
  changeOrder,
  type OrderAnswer,
  petStatus,
  placeOrder,
  postOrder,
} from '../../support/store.js';

let service: TestService;
let key: string;

beforeAll(async () => {
  service = await startService();
  ({ key } = await service.issueKey());
});
afterAll(() => service.close());

const INSTANT = String.raw`\d{4}-\d{2}-\d{2}T\d{2}:\d{2}:\d{2}\.\d{3}Z`;

const refusal = async (response: Response): Promise<unknown> => ({
  http: response.status,
  ...((await response.json()) as object),
});

describe('POST /v1/store/orders', () => {
  describe('201', () => {
    it('answers with the order, its instants and its Location, and makes the animal pending', async () => {
      const petId = await addPet(service);
      const response = await placeOrder(service, key, petId);
      expect(response.status).toBe(201);
      const text = await response.text();
      const order = JSON.parse(text) as OrderAnswer;
      expect(text).toMatch(
        new RegExp(
          `^\\{"id":\\d+,"petId":${petId},"status":"placed","placedAt":"(${INSTANT})","updatedAt":"\\1"\\}$`,
        ),
      );
      expect(Math.abs(Date.parse(order.placedAt) - Date.now())).toBeLessThan(60_000);
      expect(response.headers.get('location')).toBe(`/v1/store/orders/${order.id}`);
      expect(await petStatus(service, petId)).toBe('pending');
      const found = await service.fetch(`/v1/store/orders/${order.id}`, { key });
      expect(await found.text()).toBe(text);
    });

    it.each(['9223372036854775807', '-9223372036854775808', '9007199254740993'])(
      'orders the animal %s by its exact identifier',
      async (id) => {
        await service.pool.query(
          `insert into pets (id, name, category_id, status) values ($1, 'Edge', 1, 'available')`,
          [id],
        );
        const response = await postOrder(service, key, `{"petId":${id}}`);
        expect(response.status).toBe(201);
        expect(await response.text()).toContain(`"petId":${id},`);
      },
    );

    it.each(['.0', 'e0', '.000e0'])('takes an integer written with %s', async (tail) => {
      const petId = await addPet(service);
      const response = await postOrder(service, key, `{"petId":${petId}${tail}}`);
      expect(response.status).toBe(201);
      expect(((await response.json()) as OrderAnswer).petId).toBe(Number(petId));
    });

    it('orders an animal again after its order was cancelled', async () => {
      const petId = await addPet(service);
      const first = (await (await placeOrder(service, key, petId)).json()) as OrderAnswer;
      await changeOrder(service, key, first.id, 'cancelled');
      const second = (await (await placeOrder(service, key, petId)).json()) as OrderAnswer;
      expect(second.id).not.toBe(first.id);
      expect(await petStatus(service, petId)).toBe('pending');
    });

    it('ignores members it does not know, also an id and a status', async () => {
      const petId = await addPet(service);
      const response = await postOrder(
        service,
        key,
        `{"id":1,"petId":${petId},"status":"delivered","x":[{}]}`,
      );
      expect(response.status).toBe(201);
      expect(await response.json()).toMatchObject({ status: 'placed', petId: Number(petId) });
    });
  });

  describe('400', () => {
    it.each(['0', '-1', '9223372036854775806'])('there is no animal %s to order', async (petId) => {
      expect(await refusal(await postOrder(service, key, `{"petId":${petId}}`))).toEqual({
        http: 400,
        status: 400,
        code: 'unknown_pet',
        message: 'There is no pet with this petId.',
      });
    });

    it.each([
      '{}',
      '{"petId":null}',
      '{"petId":"7"}',
      '{"petId":true}',
      '{"petId":7.5}',
      '{"petId":[7]}',
      '{"petId":{}}',
      '{"petId":9223372036854775808}',
      '{"petId":1e30}',
    ])('names petId as what is wrong with %s', async (body) => {
      const answer = (await refusal(await postOrder(service, key, body))) as { message: string };
      expect(answer).toMatchObject({ http: 400, code: 'invalid_body', status: 400 });
      expect(answer.message).toMatch(/^petId must/);
    });

    it.each(['[]', 'null', '7', '"7"'])('refuses the body %s', async (body) => {
      expect(await refusal(await postOrder(service, key, body))).toMatchObject({
        http: 400,
        code: 'invalid_body',
      });
    });

    it('calls what is no JSON malformed', async () => {
      expect(await refusal(await postOrder(service, key, '{"petId":'))).toMatchObject({
        http: 400,
        code: 'malformed_json',
      });
    });
  });

  it('401: without a key nothing is ordered', async () => {
    const petId = await addPet(service);
    const response = await service.fetch('/v1/store/orders', { method: 'POST', body: `{"petId":${petId}}` });
    expect(await refusal(response)).toMatchObject({ http: 401, code: 'missing_api_key' });
    expect(await petStatus(service, petId)).toBe('available');
  });

  it('405: names the methods that the path has', async () => {
    const response = await service.fetch('/v1/store/orders', { method: 'PUT', key });
    expect(response.status).toBe(405);
    expect(response.headers.get('allow')).toBe('GET, HEAD, POST');
  });

  describe('409', () => {
    it.each(['pending', 'sold', null] as const)('an animal that is %s is not available', async (status) => {
      const petId = await addPet(service, status);
      expect(await refusal(await placeOrder(service, key, petId))).toEqual({
        http: 409,
        status: 409,
        code: 'pet_not_available',
        message: 'The pet is not available.',
      });
      expect(await petStatus(service, petId)).toBe(status);
    });
  });

  it('answers many different orders at once, each with its own outcome', async () => {
    const available = await addPets(service, 60);
    const sold = await addPets(service, 60, 'sold');
    const asked = available.flatMap((id, index) => [id, sold[index] ?? 0n, -1n - BigInt(index)]);
    const answers = await Promise.all(
      asked.map(async (petId) => {
        const response = await placeOrder(service, key, petId);
        const { petId: ordered, code } = (await response.json()) as { petId?: number; code?: string };
        return { status: response.status, what: ordered ?? code };
      }),
    );
    expect(answers).toEqual(
      available.flatMap((id) => [
        { status: 201, what: Number(id) },
        { status: 409, what: 'pet_not_available' },
        { status: 400, what: 'unknown_pet' },
      ]),
    );
  });

  it('gives one animal to exactly one of 80 who order it at the same time', async () => {
    const petId = await addPet(service);
    const responses = await Promise.all(Array.from({ length: 80 }, () => placeOrder(service, key, petId)));
    const statuses = responses.map(({ status }) => status);
    expect(statuses.filter((status) => status === 201)).toHaveLength(1);
    expect(statuses.filter((status) => status === 409)).toHaveLength(79);
    const { rows } = await service.pool.query<{ orders: bigint; deadlocks: bigint }>(
      `select (select count(*) from orders where pet_id = $1) as orders, deadlocks
       from pg_stat_database where datname = current_database()`,
      [petId],
    );
    expect(rows).toEqual([{ orders: 1n, deadlocks: 0n }]);
  });
});
