import { once } from 'node:events';
import type { Server, ServerResponse } from 'node:http';
import { type AddressInfo, connect, type Socket } from 'node:net';
import { setImmediate as turn } from 'node:timers/promises';
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import * as fc from 'fast-check';
import { type ConnectionOptions, ClientConnections } from './client-connections.js';
import { WAITING_MAX } from './request-queue.js';
import { cases } from '../../../test/support/cases.js';

/** One runs, the others wait. */
const ACCEPTED_MAX = WAITING_MAX + 1;

/** A dispatched request: its number in its connection, and its response. */
interface Dispatched {
  readonly number: number;
  readonly response: ServerResponse;
}

let connections: ClientConnections;
let server: Server;
let dispatched: Dispatched[];
let onDispatch: (one: Dispatched) => void;
let warnings: string[];
let port: number;
const clients: Socket[] = [];

async function start(options: Partial<ConnectionOptions> = {}): Promise<void> {
  connections = new ClientConnections(
    { requireHostHeader: false },
    (request, response) => {
      const one = { number: Number(request.url?.slice(1)), response };
      request.resume();
      dispatched.push(one);
      onDispatch(one);
    },
    { max: 100, firstByteTimeoutMs: 60_000, warn: (message) => warnings.push(message), ...options },
  );
  ({ server } = connections);
  // Node's own listener would destroy a connection on which bytes follow the last request.
  server.on('clientError', () => undefined);
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  ({ port } = server.address() as AddressInfo);
}

beforeEach(() => {
  dispatched = [];
  warnings = [];
  onDispatch = (one) => respond(one);
});
afterEach(async () => {
  for (const client of clients.splice(0)) client.destroy();
  await connections.close();
  server.close();
});

function respond({ response }: Dispatched, body = 'x'): void {
  const isLast = connections.isLast(response.req);
  response.writeHead(200, { 'content-length': body.length, ...(isLast && { connection: 'close' }) });
  response.end(body);
}

async function open(): Promise<Socket> {
  const client = connect({ port, host: '127.0.0.1', noDelay: true }).setMaxListeners(0);
  clients.push(client);
  client.on('error', () => undefined);
  await once(client, 'connect');
  return client;
}

/** The bytes that the server sends until it closes the connection, or until so many responses have come. */
async function read(client: Socket, responses = Infinity): Promise<string> {
  let text = '';
  client.setEncoding('latin1');
  await new Promise<void>((resolve) => {
    const receive = (chunk: string): void => {
      text += chunk;
      if (responses === Infinity || (text.match(/\r\n\r\nx/g)?.length ?? 0) < responses) return;
      client.off('data', receive);
      resolve();
    };
    client.on('data', receive);
    client.once('close', resolve);
  });
  return text;
}

const request = (number: number, method = 'GET', headers = ''): string =>
  `${method} /${number} HTTP/1.1\r\n${headers}${method === 'POST' ? 'Content-Length: 2\r\n\r\n{}' : '\r\n'}`;
const many = (count: number): string => Array.from({ length: count }, (_, n) => request(n)).join('');
const until = async (is: () => boolean): Promise<void> => {
  while (!is()) await turn();
};
const turns = async (count: number): Promise<void> => {
  for (let left = count; left > 0; left -= 1) await turn();
};
const numbers = (): number[] => dispatched.map(({ number }) => number);
const closes = (text: string): boolean[] =>
  text
    .split('HTTP/1.1 200 OK')
    .slice(1)
    .map((head) => /^connection: close/im.test(head));

describe('requests of one connection', () => {
  it('run one after another, in their order, however their bytes arrive', async () => {
    await start();
    await fc.assert(
      fc.asyncProperty(
        fc.array(fc.constantFrom('GET', 'HEAD', 'POST'), { minLength: 1, maxLength: ACCEPTED_MAX }),
        fc.infiniteStream(fc.nat(5)),
        fc.infiniteStream(fc.integer({ min: 1, max: 200 })),
        async (methods, delays, sizes) => {
          dispatched = [];
          let running = 0;
          let most = 0;
          onDispatch = (one) => {
            most = Math.max(most, (running += 1));
            one.response.once('close', () => (running -= 1));
            void turns(delays.next().value ?? 0).then(() => respond(one));
          };
          const client = await open();
          client.resume();
          let bytes = methods.map((method, number) => request(number, method)).join('');
          while (bytes !== '') {
            const size = sizes.next().value ?? 1;
            client.write(bytes.slice(0, size));
            bytes = bytes.slice(size);
            await turn();
          }
          await until(() => dispatched.length === methods.length && running === 0);
          client.destroy();
          expect({ order: numbers(), most }).toEqual({ order: [...methods.keys()], most: 1 });
        },
      ),
      { numRuns: cases(50) },
    );
  });

  it('keep the connection open while few are queued, however many follow', async () => {
    await start();
    const client = await open();
    for (let round = 0; round < 20; round += 1) {
      const text = read(client, ACCEPTED_MAX);
      client.write(many(ACCEPTED_MAX));
      expect(closes(await text)).not.toContain(true);
    }
    expect(dispatched).toHaveLength(20 * ACCEPTED_MAX);
  });

  it('beyond the limit are not read while earlier ones are in flight', async () => {
    await start();
    onDispatch = () => undefined;
    const client = await open();
    client.write(many(ACCEPTED_MAX + 1));
    // More than the buffers of the system take.
    client.write(Buffer.alloc(50_000_000, request(99)));
    await until(() => dispatched.length === 1);
    await turns(500);
    expect(client.writableLength).toBeGreaterThan(10_000_000);
    dispatched[0]?.response.destroy();
  });

  it('are dispatched one per event loop turn, so that other connections get theirs', async () => {
    await start();
    const order: string[] = [];
    onDispatch = (one) => {
      order.push(one.number < 100 ? 'pipelined' : 'other');
      respond(one);
    };
    const [busy, other] = [await open(), await open()];
    const responses = read(busy, ACCEPTED_MAX);
    busy.write(many(ACCEPTED_MAX));
    other.write(request(100));
    await responses;
    await until(() => order.includes('other'));
    expect(order.indexOf('other')).toBeLessThan(WAITING_MAX);
  });

  it('wait while the client does not read the previous response', async () => {
    await start();
    onDispatch = (one) => respond(one, 'x'.repeat(20_000_000));
    const client = await open();
    client.pause();
    client.write(many(2));
    await until(() => dispatched.length === 1);
    await turns(100);
    expect(numbers()).toEqual([0]);
    client.resume();
    await until(() => dispatched.length === 2);
  });

  it('are not dispatched when the client is gone', async () => {
    await start();
    onDispatch = () => undefined;
    const client = await open();
    client.write(many(3));
    await until(() => dispatched.length === 1);
    client.resetAndDestroy();
    await until(() => dispatched[0]?.response.destroyed === true);
    await turns(10);
    expect(numbers()).toEqual([0]);
  });
});

describe('a connection that closes', () => {
  it('lets the client read the last response, although more is arriving', async () => {
    await start();
    const client = await open();
    const errors: Error[] = [];
    client.on('error', (error) => errors.push(error));
    const text = read(client);
    client.write(request(0, 'GET', 'Connection: close\r\n'));
    client.write(Buffer.alloc(3_000_000, 'x'));
    expect(closes(await text)).toEqual([true]);
    expect(errors).toEqual([]);
  });
});

/** Whether a new connection gets a response. */
async function isServed(): Promise<boolean> {
  const client = await open();
  client.write(request(0));
  return (await read(client, 1)) !== '';
}

describe('connections', () => {
  it('past the maximum are closed without a response, with one warning', async () => {
    await start({ max: 2 });
    expect([await isServed(), await isServed()]).toEqual([true, true]);
    expect([await isServed(), await isServed()]).toEqual([false, false]);
    expect(warnings).toEqual(['connections rejected: 1 (CONNECTIONS_MAX)']);
  });

  it('without a request are closed when the time is over', async () => {
    await start({ firstByteTimeoutMs: 50 });
    expect(await read(await open())).toBe('');
  });

  it('free their slots when they close, even by a reset', async () => {
    await start({ max: 1 });
    for (const end of ['destroy', 'resetAndDestroy'] as const) {
      const client = await open();
      client[end]();
      while (!(await isServed())) await turn();
      clients.pop()?.destroy();
      await turns(10);
    }
  });
});

describe('a stop', () => {
  it('lets slow readers receive the current response and those queued behind it', async () => {
    await start();
    onDispatch = (one) => respond(one, 'x'.repeat(20_000_000));
    const client = await open();
    client.pause();
    client.write(many(2));
    await until(() => dispatched[0]?.response.writableEnded === true);
    const closed = connections.close();
    const text = read(client);
    client.resume();
    expect((await text).length).toBeGreaterThan(40_000_000);
    await closed;
  });

  it('may drain first: idle connections stay open for a while, and close with their next response', async () => {
    await start();
    const client = await open();
    client.write(request(0));
    await read(client, 1);
    const drained = connections.drain(60_000);
    await turns(10);
    client.write(request(1));
    expect(closes(await read(client))).toEqual([true]);
    await drained;
  });
});
