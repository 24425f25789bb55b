import { describe, expect, it } from '@jest/globals';
import { Connection, only } from './support/wire.js';
import { bearer, get, JSON_TYPE, lengthOf, PET, post, request } from './support/http/request-bytes.js';
import { startService } from './support/service.js';
import { useService } from './support/use-service.js';

const service = useService({ environment: { ADDRESS_LIMIT_PER_MINUTE: '100000', BODY_BYTES_MAX: '4096' } });

const countPets = async (): Promise<number> => {
  const { rows } = await service.pool.query<{ count: number }>('select count(*)::int as count from pets');
  return rows[0]?.count ?? -1;
};

/** The statuses of all responses on a new connection, until the service closes it. */
async function statusesUntilClosed(bytes: string, port = service.port): Promise<readonly number[]> {
  return await Connection.with(port, async (connection) => {
    connection.send(bytes);
    const text = await connection.closed();
    return Array.from(text.matchAll(/HTTP\/1\.1 (\d{3}) /g), ([, status]) => Number(status));
  });
}

/** A request whose body arrives in a malformed chunk: its response closes the connection. */
const malformedBody = (): string =>
  request('POST /v1/pets', [bearer(service.key), JSON_TYPE, 'Transfer-Encoding: chunked'], 'zz\r\n');

describe('a connection', () => {
  it('executes nothing after a request with a malformed body', async () => {
    const before = await countPets();
    expect(await statusesUntilClosed(malformedBody() + post(service.key, PET).repeat(5))).toEqual([400]);
    expect(await countPets()).toBe(before);
  });

  it('executes nothing after a response that closes it', async () => {
    const before = await countPets();
    // Whole, and larger than a body may be: its response closes the connection, while the requests behind it are there already.
    const tooLarge = request(
      'POST /v1/pets',
      [bearer(service.key), JSON_TYPE, 'Transfer-Encoding: chunked'],
      `1100\r\n${' '.repeat(0x1100)}\r\n0\r\n\r\n`,
    );
    const tail = post(service.key, PET).repeat(5);
    expect(await statusesUntilClosed(tooLarge + tail)).toEqual([413]);
    expect(await countPets()).toBe(before);
  });

  it('creates as many pets as it returns 201s if the service stops meanwhile', async () => {
    const stopped = await startService({ databaseUrl: service.databaseUrl });
    const before = await countPets();
    const statuses = await Connection.with(stopped.port, async (connection) => {
      connection.send(post(service.key, PET).repeat(16));
      expect((await connection.response()).status).toBe(201);
      const closed = stopped.close();
      const text = await connection.closed();
      await closed;
      return Array.from(text.matchAll(/HTTP\/1\.1 (\d{3}) /g), ([, status]) => Number(status));
    });
    expect(await countPets()).toBe(before + 1 + statuses.filter((status) => status === 201).length);
  });
});

describe('a client that pipelines', () => {
  it('gets 17 responses, each counted once, and the rest of its requests is dropped', async () => {
    const { id, key: own } = await service.issueKey();
    const statuses = await statusesUntilClosed(get('/v1/pets?limit=1', own).repeat(700));
    expect(statuses).toEqual(Array<number>(17).fill(200));
    const { rows } = await service.pool.query<{ admitted: number }>(
      `select sum(admitted)::int as admitted from api_key_daily_usage where api_key_id = $1`,
      [id],
    );
    expect(rows).toEqual([{ admitted: 17 }]);
  });
});

describe('what follows the last request of a connection', () => {
  it.each([
    ['CONNECT', 'CONNECT x:1 HTTP/1.1\r\nHost: x:1\r\n\r\n'],
    ['nonsense', 'nonsense\r\n\r\n'],
  ])('gets no response: %s', async (_what, behind) => {
    const one = get('/v1/pets?limit=1', service.key);
    const last = request('GET /v1/pets?limit=1', [bearer(service.key), 'Connection: close']);
    expect(await statusesUntilClosed(last + behind)).toEqual([200]);
    expect(await statusesUntilClosed(one.repeat(20) + behind)).toEqual(Array<number>(17).fill(200));
  });
});

describe('a request that asks to upgrade', () => {
  it.each(['websocket', 'h2c'])(
    'to %s gets its response, and nothing behind it is executed',
    async (protocol) => {
      const before = await countPets();
      const upgrade = request('GET /v1/pets?limit=1', [
        bearer(service.key),
        'Connection: Upgrade',
        `Upgrade: ${protocol}`,
      ]);
      // The body of the second request is a request, too: it must not be taken for one.
      const inner = post(service.key, PET);
      const outer = request('POST /v1/pets', [bearer(service.key), JSON_TYPE, lengthOf(inner)], inner);
      for (const second of [outer, post(service.key, PET)]) {
        await Connection.with(service.port, async (connection) => {
          connection.send(upgrade + second);
          const response = await connection.response();
          expect([response.status, only(response, 'connection')]).toEqual([200, 'close']);
          connection.send(inner);
          expect(await connection.closed()).toBe('');
        });
      }
      expect(await countPets()).toBe(before);
    },
  );
});
