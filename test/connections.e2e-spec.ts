import { once } from 'node:events';
import { connect, type Socket } from 'node:net';
import { afterEach, describe, expect, it } from '@jest/globals';
import type { Clock } from '../src/auth/admission/clock.js';
import { Connection, only } from './support/wire.js';
import { get } from './support/http/request-bytes.js';
import { eventually } from './support/eventually.js';
import { startService, type TestService } from './support/service.js';

let service: TestService;
let key: string;
let open: (Connection | Socket)[];

async function start(environment: Readonly<Record<string, string>>, clock?: Clock): Promise<void> {
  open = [];
  service = await startService({ environment, ...(clock && { clock }) });
  ({ key } = await service.issueKey());
}
afterEach(async () => {
  for (const one of open)
    if (one instanceof Connection) one.close();
    else one.destroy();
  await service.close();
});

async function connected(): Promise<Connection> {
  const connection = await Connection.open(service.port);
  open.push(connection);
  return connection;
}

/** Whether a new connection gets a response before it is closed. */
async function isServed(): Promise<boolean> {
  const connection = await connected();
  connection.send(get('/v1/pets', key));
  return await connection.response().then(
    ({ status }) => status === 200,
    () => false,
  );
}

describe('connections', () => {
  it('past the maximum are closed without a response, and count against no key', async () => {
    const nowMs = Date.now();
    await start({ CONNECTIONS_MAX: '1' }, { nowMs: () => nowMs });
    const first = await connected();
    first.send(get('/v1/usage', key));
    const before = only(await first.response(), 'x-ratelimit-remaining');
    expect([await isServed(), await isServed()]).toEqual([false, false]);
    first.send(get('/v1/usage', key));
    expect(only(await first.response(), 'x-ratelimit-remaining')).toBe(String(Number(before) - 1));
  });
});

describe('a connection', () => {
  it('stays open between requests for as long as is configured, and says so', async () => {
    await start({ KEEP_ALIVE_TIMEOUT_MS: '1000' });
    const connection = await connected();
    connection.send(get('/v1/pets', key));
    expect(only(await connection.response(), 'keep-alive')).toBe('timeout=1');
    const idleSinceMs = performance.now();
    expect(await connection.closed()).toBe('');
    expect(performance.now() - idleSinceMs).toBeGreaterThan(900);
  });

  it('stays open longer than a balancer keeps it, by default', async () => {
    await start({});
    const connection = await connected();
    connection.send(get('/v1/pets', key));
    expect(only(await connection.response(), 'keep-alive')).toBe('timeout=75');
  });

  it.each([
    ['headers', () => 'GET /v1/pets HTTP/1.1\r\nX-Long: '],
    [
      'a body',
      () =>
        `POST /v1/pets HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer ${key}\r\nContent-Type: application/json\r\nContent-Length: 9999\r\n\r\n{`,
    ],
  ])('on which %s comes byte by byte gets 408 when the time is over', async (_what, begin) => {
    await start({ REQUEST_TIMEOUT_MS: '1000' });
    const connection = await connected();
    const sinceMs = performance.now();
    connection.send(begin());
    // Each byte makes the connection look alive.
    const drip = setInterval(() => connection.send('x'), 50);
    const response = await connection.response().finally(() => clearInterval(drip));
    expect(response.status).toBe(408);
    expect(performance.now() - sinceMs).toBeGreaterThan(900);
    await connection.closed();
  });

  it('whose client does not take its responses is closed', async () => {
    await start({ REQUEST_TIMEOUT_MS: '1000', CONNECTIONS_MAX: '1' });
    await service.pool.query(
      `insert into pets (name, category_id) select repeat('\u{1f600}', 255), n from generate_series(1, 100) as n`,
    );
    const own = await service.issueKey();
    const socket = connect({ port: service.port, host: '127.0.0.1' });
    open.push(socket);
    socket.on('error', () => undefined);
    await once(socket, 'connect');
    socket.pause();
    const admitted = async (): Promise<number> => {
      const { rows } = await service.pool.query<{ count: string }>(
        'select day_admitted as count from api_key_counters where api_key_id = $1',
        [own.id],
      );
      return Number(rows[0]?.count);
    };
    // Until the buffers of both systems are full and responses wait in the service, which then dispatches nothing more.
    for (let sent = 1, isOpen = true; isOpen; sent += 1) {
      socket.write(get('/v1/pets?limit=100', own.key));
      await eventually(async () => {
        if ((await admitted()) >= sent) return;
        // When its place is free, it was closed.
        isOpen = !(await isServed());
        expect(isOpen).toBe(false);
      });
    }
  });
});
