import { once } from 'node:events';
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import { type AddressInfo, connect, type Socket } from 'node:net';
import { setImmediate as turn } from 'node:timers/promises';
import { afterEach, beforeEach, describe, expect, it, jest } from '@jest/globals';
import * as fc from 'fast-check';
import { IN_FLIGHT_MAX, UNSENT_BYTES_MAX } from './connection-requests.js';
import { InFlightRequests } from './in-flight-requests.js';

/** A dispatched request: its number in its connection, and how to respond to it. */
interface Dispatched {
  readonly number: number;
  readonly method: string | undefined;
  readonly response: ServerResponse;
}

let inFlight: InFlightRequests;
let server: Server;
let dispatched: Dispatched[];
let onDispatch: (one: Dispatched) => void;
const excess = jest.fn();
const clients: Socket[] = [];

beforeEach(async () => {
  excess.mockClear();
  dispatched = [];
  onDispatch = () => undefined;
  inFlight = new InFlightRequests(excess);
  server = createServer(
    inFlight.dispatch((request, response) => {
      const one = { number: Number(request.url?.slice(1)), method: request.method, response };
      request.resume();
      dispatched.push(one);
      onDispatch(one);
    }),
  );
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
});
afterEach(() => {
  for (const client of clients.splice(0)) client.destroy();
  server.close();
  server.closeAllConnections();
});

function respond({ response }: Dispatched, body = 'x'): void {
  inFlight.whenRoom(response.req, body, () => {
    const isLast = inFlight.isLast(response.req);
    response.writeHead(200, { 'content-length': body.length, ...(isLast && { connection: 'close' }) });
    response.end(body);
  });
}

async function open(): Promise<Socket> {
  const client = connect((server.address() as AddressInfo).port, '127.0.0.1');
  clients.push(client);
  client.on('error', () => undefined);
  await once(client, 'connect');
  return client;
}

/** What the server sends until it closes the connection, or until so many responses have come. */
async function read(client: Socket, responses = Infinity): Promise<string> {
  client.setMaxListeners(0);
  let text = '';
  const whole = (): boolean => (text.match(/\r\n\r\nx/g)?.length ?? 0) >= responses;
  client.setEncoding('latin1');
  await new Promise<void>((resolve) => {
    client.on('data', (chunk: string) => {
      text += chunk;
      if (whole()) resolve();
    });
    client.on('close', () => resolve());
  });
  return text;
}

const request = (number: number, method = 'GET', headers = ''): string =>
  `${method} /${number} HTTP/1.1\r\nHost: x\r\n${headers}${method === 'POST' ? 'Content-Length: 2\r\n\r\n{}' : '\r\n'}`;
const many = (count: number): string => Array.from({ length: count }, (_, n) => request(n)).join('');
const until = async (is: () => boolean): Promise<void> => {
  while (!is()) await turn();
};
const unsent = (): number => dispatched.reduce((sum, { response }) => sum + response.writableLength, 0);
const numbers = (): number[] => dispatched.map(({ number }) => number);

describe('pipelined requests', () => {
  it(`past ${IN_FLIGHT_MAX} in flight are dropped; those in flight get their responses, the last closes`, async () => {
    const client = await open();
    const text = read(client);
    client.write(many(1700));
    await until(() => dispatched.length === IN_FLIGHT_MAX && excess.mock.calls.length > 0);
    for (const one of dispatched.toReversed()) respond(one);
    const heads = (await text).split('HTTP/1.1 200 OK').slice(1);
    expect(heads).toHaveLength(IN_FLIGHT_MAX);
    expect(heads.map((head) => head.includes('connection: close'))).toEqual([
      ...Array<boolean>(IN_FLIGHT_MAX - 1).fill(false),
      true,
    ]);
    expect(numbers()).toEqual([...Array(IN_FLIGHT_MAX).keys()]);
    expect(excess).toHaveBeenCalledTimes(1);
  });

  it('past the limit are not even read, but for those that Node.js has read already', async () => {
    const [client, socket] = await Promise.all([
      open(),
      once(server, 'connection').then(([one]) => one as Socket),
    ]);
    client.write(many(100_000));
    await until(() => excess.mock.calls.length > 0);
    for (let turns = 0; turns < 20; turns += 1) await turn();
    expect(socket.bytesRead).toBeLessThanOrEqual(65_536);
  });

  it('past the limit close the connection also when the last response had been written before', async () => {
    const client = await open();
    const text = read(client);
    client.write(many(IN_FLIGHT_MAX));
    await until(() => dispatched.length === IN_FLIGHT_MAX);
    for (const one of dispatched.slice(1)) respond(one);
    client.write(request(99));
    await until(() => excess.mock.calls.length > 0);
    if (dispatched[0] !== undefined) respond(dispatched[0]);
    expect((await text).match(/200 OK/g)).toHaveLength(IN_FLIGHT_MAX);
    expect(numbers()).not.toContain(99);
  });

  it('within the limit keep the connection open, however many follow', async () => {
    onDispatch = (one) => void turn().then(() => respond(one));
    const client = await open();
    for (let round = 0; round < 20; round += 1) {
      const text = read(client, IN_FLIGHT_MAX);
      client.write(many(IN_FLIGHT_MAX));
      expect((await text).includes('close')).toBe(false);
    }
    expect(dispatched).toHaveLength(20 * IN_FLIGHT_MAX);
  });

  it('hold no more bytes of unsent responses than the limit, while the client does not read', async () => {
    const body = 'x'.repeat(100_000);
    let most = 0;
    onDispatch = (one) => {
      respond(one, body);
      most = Math.max(most, unsent());
    };
    const client = await open();
    client.pause();
    client.write(many(IN_FLIGHT_MAX));
    await until(() => dispatched.length > 0);
    for (let turns = 0; turns < 100; turns += 1) {
      await turn();
      most = Math.max(most, unsent());
    }
    expect(most).toBeGreaterThan(0);
    expect(most).toBeLessThanOrEqual(UNSENT_BYTES_MAX);
    const text = read(client, IN_FLIGHT_MAX);
    client.resume();
    expect((await text).length).toBeGreaterThan((IN_FLIGHT_MAX - 1) * body.length);
  });

  it('are executed in the order that their methods demand, whatever comes when', async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.array(fc.constantFrom('GET', 'HEAD', 'POST', 'PATCH', 'DELETE'), {
          minLength: 1,
          maxLength: IN_FLIGHT_MAX,
        }),
        fc.infiniteStream(fc.nat(5)),
        async (methods, turns) => {
          dispatched = [];
          const wrong: string[] = [];
          const isSafe = (number: number): boolean => ['GET', 'HEAD'].includes(methods[number] ?? '');
          onDispatch = (one) => {
            const before = dispatched.filter(
              ({ number, response }) => number < one.number && !response.writableFinished,
            );
            for (const { number } of before)
              if (!isSafe(one.number) || !isSafe(number)) wrong.push(`${one.number} runs beside ${number}`);
            void (async () => {
              for (let left = turns.next().value ?? 0; left > 0; left -= 1) await turn();
              respond(one, one.method === 'HEAD' ? '' : 'x');
            })();
          };
          const client = await open();
          client.resume();
          client.write(methods.map((method, number) => request(number, method)).join(''));
          await until(
            () =>
              dispatched.length === methods.length &&
              dispatched.every(({ response }) => response.writableFinished),
          );
          client.destroy();
          expect(numbers()).toEqual([...methods.keys()]);
          expect(wrong).toEqual([]);
        },
      ),
      { numRuns: 50 },
    );
  });

  it('run at the same time when none of them changes anything', async () => {
    const client = await open();
    client.write(many(10));
    await until(() => dispatched.length === 10);
  });

  it.each([
    ['whose response closes the connection', request(0, 'POST'), true],
    ['that asks to upgrade', request(0, 'GET', 'Connection: Upgrade\r\nUpgrade: websocket\r\n'), false],
    [
      'of HTTP/1.0 with chunks',
      'POST /0 HTTP/1.0\r\nConnection: keep-alive\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n',
      false,
    ],
  ])('behind one %s are not dispatched', async (_which, first, isClosedByHandler) => {
    onDispatch = ({ response }) => {
      const isLast = inFlight.isLast(response.req) || isClosedByHandler;
      response.writeHead(200, { 'content-length': 1, ...(isLast && { connection: 'close' }) }).end('x');
    };
    const client = await open();
    const text = read(client);
    client.write(`${first}${request(1, 'POST')}${request(2)}`);
    await until(() => dispatched.length > 0);
    client.write(request(3, 'POST'));
    expect(await text).toMatch(/^HTTP\/1\.1 200 OK\r\n[^]*connection: close\r\n[^]*\r\n\r\nx$/i);
    expect(numbers()).toEqual([0]);
  });

  it('behind the last one before a stop are not dispatched, and those before it get their responses', async () => {
    const client = await open();
    const text = read(client);
    client.write(many(3));
    await until(() => dispatched.length === 3);
    inFlight.stop();
    client.write(request(3));
    for (const one of dispatched) respond(one);
    const heads = (await text).split('HTTP/1.1 200 OK').slice(1);
    expect(heads.map((head) => head.includes('connection: close'))).toEqual([false, false, true]);
    expect(numbers()).toEqual([0, 1, 2]);
  });

  it('of a client that takes no response are cut off', async () => {
    jest.useFakeTimers({ doNotFake: ['nextTick', 'setImmediate', 'performance', 'queueMicrotask'] });
    try {
      onDispatch = (one) => respond(one, 'x'.repeat(4_000_000));
      const client = await open();
      client.pause();
      const requested = once(server, 'request');
      client.write(many(2));
      const [{ socket }] = (await requested) as [IncomingMessage];
      await until(() => socket.writableLength > 0);
      jest.advanceTimersByTime(5000);
      expect(socket.destroyed).toBe(true);
    } finally {
      jest.useRealTimers();
    }
  });

  it('whose client left before their responses are released, however large these are', async () => {
    let released = 0;
    const client = await open();
    client.write(many(IN_FLIGHT_MAX));
    await until(() => dispatched.length === IN_FLIGHT_MAX);
    const { socket } = dispatched[0]?.response.req ?? {};
    client.resetAndDestroy();
    await until(() => socket?.closed === true);
    for (const { response } of dispatched) {
      inFlight.whenRoom(response.req, 'x'.repeat(200_000), () => {
        released += 1;
        response.end('x'.repeat(200_000));
      });
    }
    expect(released).toBe(IN_FLIGHT_MAX);
  });

  it('that wait for room are released when the client leaves', async () => {
    let released = 0;
    onDispatch = ({ response }) =>
      inFlight.whenRoom(response.req, 'x'.repeat(200_000), () => {
        released += 1;
        response.end('x'.repeat(200_000));
      });
    const client = await open();
    client.pause();
    client.write(many(IN_FLIGHT_MAX));
    await until(() => dispatched.length > 1);
    client.destroy();
    await until(() => released === dispatched.length);
  });
});
