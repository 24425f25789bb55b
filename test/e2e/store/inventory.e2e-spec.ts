import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { startService, type TestService } from '../../support/service.js';
import { addPets, changeOrder, type OrderAnswer, placeOrder } from '../../support/store.js';

let service: TestService;
let key: string;

beforeAll(async () => {
  service = await startService();
  ({ key } = await service.issueKey());
});
afterAll(() => service.close());

const inventory = async (): Promise<string> => (await service.fetch('/v1/store/inventory', { key })).text();

describe('GET /v1/store/inventory', () => {
  it('200: counts no animals where there are none', async () => {
    const empty = await startService();
    const { key: itsKey } = await empty.issueKey();
    const response = await empty.fetch('/v1/store/inventory', { key: itsKey });
    expect(response.status).toBe(200);
    expect(await response.text()).toBe('{"available":0,"pending":0,"sold":0}');
    await empty.close();
  });

  it('200: counts the animals of each status, and those without one nowhere, through the life of orders', async () => {
    const [petId = 0n, other = 0n] = await addPets(service, 5);
    await addPets(service, 3, 'pending');
    await addPets(service, 2, 'sold');
    await addPets(service, 7, null);
    expect(await inventory()).toBe('{"available":5,"pending":3,"sold":2}');
    await service.fetch('/v1/pets', {
      method: 'POST',
      key,
      body: '{"name":"Rex","categoryId":1,"status":"available"}',
      headers: { 'content-type': 'application/json' },
    });
    expect(await inventory()).toBe('{"available":6,"pending":3,"sold":2}');
    const { id } = (await (await placeOrder(service, key, petId)).json()) as OrderAnswer;
    expect(await inventory()).toBe('{"available":5,"pending":4,"sold":2}');
    await changeOrder(service, key, id, 'approved');
    await changeOrder(service, key, id, 'delivered');
    expect(await inventory()).toBe('{"available":5,"pending":3,"sold":3}');
    const { id: second } = (await (await placeOrder(service, key, other)).json()) as OrderAnswer;
    await changeOrder(service, key, second, 'cancelled');
    expect(await inventory()).toBe('{"available":5,"pending":3,"sold":3}');
  });

  it('200: answers HEAD without a body', async () => {
    const response = await service.fetch('/v1/store/inventory', { key, method: 'HEAD' });
    expect(response.status).toBe(200);
    expect(await response.text()).toBe('');
  });

  it('401: without a key nothing is told', async () => {
    expect((await service.fetch('/v1/store/inventory')).status).toBe(401);
  });

  it('405: names the methods that the path has', async () => {
    const response = await service.fetch('/v1/store/inventory', { method: 'POST', key, body: '{}' });
    expect(response.status).toBe(405);
    expect(response.headers.get('allow')).toBe('GET, HEAD');
  });
});
