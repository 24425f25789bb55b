import { describe, expect, it } from '@jest/globals';
import { holdOpen } from './support/operators.js';
import { MEMBER_NAMES } from './support/pet-members.js';
import { selectOne } from './support/sql-outcome.js';
import { addPet, changeOrder, orderInStatus, outcomeOf, petStatus, placeOrder } from './support/store.js';
import { type ServiceInUse, useReplicas, useService } from './support/use-service.js';

const service = useService();
const hasty = useReplicas(service, 1, { provokes503: true });

type Headers = Readonly<Record<string, string>>;

const path = (id: bigint | string): string => `/v1/pets/${id}`;
const change = (id: bigint | string, body: string, headers: Headers = {}, by = service): Promise<Response> =>
  by.send('PATCH', path(id), body, headers);
const remove = (id: bigint | string, headers: Headers = {}, by = service): Promise<Response> =>
  by.fetch(path(id), { key: service.key, method: 'DELETE', headers });
const find = async (id: bigint): Promise<Response> => await service.get(path(id));
const etagOf = async (id: bigint): Promise<string> => (await find(id)).headers.get('etag') ?? '';

const count = (outcomes: readonly string[], outcome: string): number =>
  outcomes.filter((one) => one === outcome).length;

describe.each(['PATCH', 'DELETE'])('%s /v1/pets/{petId}', (method) => {
  const send = (id: bigint | string, headers?: Headers, by?: ServiceInUse): Promise<Response> =>
    method === 'PATCH' ? change(id, '{"status":"sold"}', headers, by) : remove(id, headers, by);
  const success = method === 'PATCH' ? '200' : '204';

  it.each(['0', '9223372036854775807', '9223372036854775808', '01', '1.0', 'rex'])(
    '404: there is no pet %s',
    async (id) => {
      expect(await outcomeOf(send(id))).toBe('404 pet_not_found');
    },
  );

  it.each(['placed', 'approved'] as const)('409 while an order of the pet is %s', async (status) => {
    const { petId } = await orderInStatus(service, status);
    expect(await outcomeOf(send(BigInt(petId)))).toBe('409 pet_has_open_order');
    expect(await petStatus(service, BigInt(petId))).toBe('pending');
  });

  it('If-Match: 412 for another, a weak and a malformed tag, and nothing changes; else it succeeds', async () => {
    const id = await addPet(service);
    const etag = await etagOf(id);
    for (const ifMatch of ['"other"', `W/${etag}`, etag.slice(1, -1), '']) {
      expect([ifMatch, await outcomeOf(send(id, { 'if-match': ifMatch }))]).toEqual([
        ifMatch,
        '412 precondition_failed',
      ]);
    }
    expect(await etagOf(id)).toBe(etag);
    expect(await outcomeOf(send(id, { 'if-match': `"other", ${etag}` }))).toBe(success);
    expect(await outcomeOf(send(-1n, { 'if-match': '"other"' }))).toBe('404 pet_not_found');
  });

  it('If-None-Match: 412 for the tag, strong or weak, and for *, and nothing changes; else it succeeds', async () => {
    const id = await addPet(service);
    const etag = await etagOf(id);
    for (const ifNoneMatch of [etag, `W/${etag}`, `"other", ${etag}`, '*', ' * ']) {
      expect([ifNoneMatch, await outcomeOf(send(id, { 'if-none-match': ifNoneMatch }))]).toEqual([
        ifNoneMatch,
        '412 precondition_failed',
      ]);
    }
    expect(await etagOf(id)).toBe(etag);
    expect(await outcomeOf(send(-1n, { 'if-none-match': '*' }))).toBe('404 pet_not_found');
    for (const [ifMatch, ifNoneMatch] of [
      ['"other"', '"other"'],
      [etag, etag],
      ['*', '*'],
    ] as const) {
      const headers = { 'if-match': ifMatch, 'if-none-match': ifNoneMatch };
      expect(await outcomeOf(send(id, headers))).toBe('412 precondition_failed');
    }
    const headers = { 'if-match': etag, 'if-none-match': '"other", W/"another"' };
    expect(await outcomeOf(send(id, headers))).toBe(success);
  });

  it('and an order at once: exactly one succeeds, and pet and order agree', async () => {
    const outcomes = new Set<string>();
    for (let round = 0; round < 30; round += 1) {
      const id = await addPet(service);
      const both =
        round % 2 === 0 ? [send(id), placeOrder(service, id)] : [placeOrder(service, id), send(id)];
      const [one = '', other = ''] = await Promise.all(both.map(outcomeOf));
      const pair = [one, other].toSorted().join(' and ');
      outcomes.add(pair);
      const { orders } = await selectOne<{ orders: number }>(
        service.pool,
        'select count(*)::int as orders from orders where pet_id = $1',
        [id],
      );
      const isOrdered = pair === '201 and 409 pet_has_open_order';
      expect(orders).toBe(isOrdered ? 1 : 0);
      if (isOrdered) expect(await petStatus(service, id)).toBe('pending');
    }
    const rejected = method === 'PATCH' ? '200 and 409 pet_not_available' : '204 and 400 unknown_pet';
    expect(['201 and 409 pet_has_open_order', rejected]).toEqual(expect.arrayContaining([...outcomes]));
  });

  it('503 while another session has locked the pet, and succeeds once it is free', async () => {
    const id = await addPet(service);
    const holder = await holdOpen(service.databaseUrl, `update pets set name = 'Held' where id = $1`, [id]);
    expect(await outcomeOf(send(id, {}, hasty[0]))).toBe('503 service_unavailable');
    const waiting = send(id);
    await holder.stop();
    expect(await outcomeOf(waiting)).toBe(success);
  });
});

describe('PATCH /v1/pets/{petId}', () => {
  it('takes a merge patch (RFC 7396) by its own name, too, in which null is invalid', async () => {
    const id = await addPet(service);
    const asPatch = { 'content-type': 'application/merge-patch+json; charset=utf-8' };
    const changed = await change(id, '{"name":"Max","unknown":1}', asPatch);
    expect(await changed.json()).toMatchObject({ id: Number(id), name: 'Max' });
    expect(await outcomeOf(change(id, '{"name":null}', asPatch))).toBe('400 invalid_body');
    const order = await placeOrder(service, id);
    const { id: orderId } = (await order.json()) as { id: number };
    const approved = service.send('PATCH', `/v1/store/orders/${orderId}`, '{"status":"approved"}', asPatch);
    expect(await outcomeOf(approved)).toBe('200');
    const posted = await service.post('/v1/pets', '{"name":"Rex","categoryId":7}', asPatch);
    expect(await outcomeOf(posted)).toBe('415 unsupported_media_type');
    const empty = service.fetch('/v1/pets', { method: 'POST', key: service.key, headers: asPatch });
    expect(await outcomeOf(empty)).toBe('415 unsupported_media_type');
    const other = await change(id, '[]', { 'content-type': 'application/json-patch+json' });
    expect([other.status, other.headers.get('accept-patch')]).toEqual([
      415,
      'application/json, application/merge-patch+json',
    ]);
  });

  it.each(['{}', '{"other":1}'])('400: the body %s has no member to change', async (body) => {
    expect(await (await change(await addPet(service), body)).json()).toEqual({
      code: 'invalid_body',
      message: `The body must have at least one of ${MEMBER_NAMES.join(', ')}.`,
      status: 400,
    });
  });

  it('changes a pet with an open order, except its status', async () => {
    const { petId } = await orderInStatus(service, 'approved');
    expect(await outcomeOf(change(BigInt(petId), '{"name":"Max","categoryId":7,"status":"pending"}'))).toBe(
      '200',
    );
    expect(await outcomeOf(change(BigInt(petId), '{"name":"Rex","status":"available"}'))).toBe(
      '409 pet_has_open_order',
    );
    expect(await (await find(BigInt(petId))).json()).toMatchObject({
      name: 'Max',
      categoryId: 7,
      status: 'pending',
    });
  });
});

describe('DELETE /v1/pets/{petId}', () => {
  it('deletes the pet and its cancelled orders, and counts it no more', async () => {
    const order = await orderInStatus(service, 'cancelled');
    const other = await orderInStatus(service, 'cancelled');
    const id = BigInt(order.petId);
    const again = (await (await placeOrder(service, id)).json()) as { id: number };
    await changeOrder(service, again.id, 'cancelled');
    const inventory = async (): Promise<number> =>
      ((await (await service.get('/v1/store/inventory')).json()) as { available: number }).available;
    const before = await inventory();
    const response = await remove(id);
    expect([response.status, await response.text(), response.headers.get('etag')]).toEqual([204, '', null]);
    expect(await outcomeOf(find(id))).toBe('404 pet_not_found');
    expect(await outcomeOf(remove(id))).toBe('404 pet_not_found');
    for (const gone of [order.id, again.id]) {
      expect(await outcomeOf(service.get(`/v1/store/orders/${gone}`))).toBe('404 order_not_found');
    }
    expect(await outcomeOf(service.get(`/v1/store/orders/${other.id}`))).toBe('200');
    expect(await inventory()).toBe(before - 1);
  });

  it.each(['', '{}', '{"name":', 'x'.repeat(100_000)])('ignores the body %.20j', async (body) => {
    const headers = { 'content-type': 'application/json' };
    const init = { key: service.key, method: 'DELETE', headers, body };
    expect((await service.fetch(path(await addPet(service)), init)).status).toBe(204);
  });

  it('409 for a pet with a delivered order, but not for one that is sold without', async () => {
    const { petId } = await orderInStatus(service, 'delivered');
    expect(await outcomeOf(remove(BigInt(petId)))).toBe('409 pet_is_sold');
    expect(await outcomeOf(remove(await addPet(service, 'sold')))).toBe('204');
  });

  it('succeeds exactly once, however many delete a pet at once', async () => {
    const id = await addPet(service);
    const outcomes = await Promise.all(Array.from({ length: 30 }, () => outcomeOf(remove(id))));
    expect([count(outcomes, '204'), count(outcomes, '404 pet_not_found')]).toEqual([1, 29]);
  });

  it('503 while another session has locked a cancelled order of the pet', async () => {
    const { id, petId } = await orderInStatus(service, 'cancelled');
    const holder = await holdOpen(service.databaseUrl, 'select from orders where id = $1 for update', [id]);
    expect(await outcomeOf(remove(BigInt(petId), {}, hasty[0]))).toBe('503 service_unavailable');
    await holder.stop();
    expect(await outcomeOf(remove(BigInt(petId)))).toBe('204');
  });
});
