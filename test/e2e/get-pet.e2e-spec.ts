import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import type { Clock } from '../../src/common/clock.js';
import { startService, type TestService } from '../support/service.js';

let service: TestService;
let key: string;

beforeAll(async () => {
  service = await startService();
  ({ key } = await service.issueKey());
});
afterAll(() => service.close());

const LINKS =
  '</docs#deprecation>; rel="deprecation", </docs#deprecation>; rel="sunset", </v1/pets>; rel="successor-version"';

function expectAnnounced(response: Response): void {
  expect(response.headers.get('deprecation')).toBe('@1795132800');
  expect(response.headers.get('sunset')).toBe('Thu, 05 Dec 2030 00:00:00 GMT');
  expect(response.headers.get('link')).toBe(LINKS);
}

describe('GET /v1/pets/{petId}', () => {
  it.each(['9223372036854775807', '-9223372036854775808', '9007199254740993', '0'])(
    '200: finds the animal %s by its exact identifier',
    async (id) => {
      await service.pool.query(
        `insert into pets (id, name, category_id) values ($1, 'Edge', $1) on conflict do nothing`,
        [id],
      );
      const response = await service.fetch(`/v1/pets/${id}`, { key });
      expect(await response.text()).toBe(`{"id":${id},"name":"Edge","categoryId":${id}}`);
      expectAnnounced(response);
    },
  );

  it.each([
    '1234567',
    '9223372036854775808',
    '01',
    '+1',
    '1.0',
    '1e3',
    'rex',
    '-0',
    '%31%32',
    'x'.repeat(500),
  ])('404: there is no pet %s', async (petId) => {
    const response = await service.fetch(`/v1/pets/${petId}`, { key });
    expect(response.status).toBe(404);
    expect(await response.json()).toEqual({
      code: 'pet_not_found',
      message: 'There is no pet with this petId.',
      status: 404,
    });
    expectAnnounced(response);
  });

  it('401 and 429: rejections by admission do not announce the removal', async () => {
    const { key: tight } = await service.issueKey({ perMinute: 1 });
    const responses = [
      await service.fetch('/v1/pets/1'),
      await service.fetch('/v1/pets/1', { key: tight }),
      await service.fetch('/v1/pets/1', { key: tight }),
      await service.fetch('/v1/pets/1', { key: tight }),
    ];
    const rejected = responses.filter(({ status }) => status === 401 || status === 429);
    expect(new Set(rejected.map(({ status }) => status))).toEqual(new Set([401, 429]));
    for (const { headers } of rejected) {
      expect([headers.get('deprecation'), headers.get('sunset'), headers.get('link')]).toEqual([
        null,
        null,
        null,
      ]);
    }
  });

  it('HEAD answers with the same headers and no body', async () => {
    const response = await service.fetch('/v1/pets/1234567', { key, method: 'HEAD' });
    expect(response.status).toBe(404);
    expectAnnounced(response);
  });

  describe('410', () => {
    let nowMs = 0;
    const clock: Clock = { nowMs: () => nowMs };
    let future: TestService;
    beforeAll(async () => {
      future = await startService({ clock });
    });
    afterAll(() => future.close());

    it('ends the operation at the announced instant, by the clock alone', async () => {
      const { key: itsKey } = await future.issueKey();
      nowMs = Date.UTC(2030, 11, 4, 23, 59, 59, 999);
      expect((await future.fetch('/v1/pets/1', { key: itsKey })).status).toBe(404);
      nowMs = Date.UTC(2030, 11, 5);
      const removed = await future.fetch('/v1/pets/1', { key: itsKey });
      expect(removed.status).toBe(410);
      expect(await removed.json()).toMatchObject({ code: 'operation_removed', status: 410 });
      expectAnnounced(removed);
      expect((await future.fetch('/v1/pets', { key: itsKey })).status).toBe(200);
      expect((await future.fetch('/v1/pets/1')).status).toBe(401);
    });
  });
});
