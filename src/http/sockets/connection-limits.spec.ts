import { once } from 'node:events';
import { createServer, type Server } from 'node:http';
import { type AddressInfo, connect, type Socket } from 'node:net';
import { afterEach, expect, it } from '@jest/globals';
import { Cors } from '../cors.js';
import { AddressTurns } from './address-turns.js';
import { ConnectionLimits } from './connection-limits.js';
import type { SocketOptions } from './socket-errors.js';

const WINDOW = { policy: 'address', limit: 60, windowSeconds: 60, remaining: 60, resetAtMs: 60_000 };

const options = {
  clientAddressOf: () => '192.0.2.1',
  admission: { describeAddress: () => ({ windows: [WINDOW] }) },
  observer: { refusedConnection: () => undefined },
  logger: { warn: () => undefined },
  cors: new Cors('*'),
  clock: { nowMs: () => 0 },
} as unknown as SocketOptions;

let server: Server;
const clients: Socket[] = [];

afterEach(() => {
  for (const client of clients.splice(0)) client.destroy();
  server.close();
});

/** A new connection to the server. */
async function connected(): Promise<Socket> {
  const client = connect((server.address() as AddressInfo).port, '127.0.0.1');
  clients.push(client);
  await once(client, 'connect');
  return client;
}

it('a rejected connection gets one response, and the HTTP parser reads none of its requests', async () => {
  let requests = 0;
  server = createServer((_request, response) => {
    requests += 1;
    response.end();
  });
  const maxima = { connectionsMax: 1, connectionsPerAddressMax: 1, isTrustedPeer: () => false };
  new ConnectionLimits(maxima, new AddressTurns(), options).watch(server);
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  await connected();
  const rejected = await connected();
  rejected.end('GET / HTTP/1.1\r\nHost: localhost\r\n\r\n'.repeat(1700));
  let text = '';
  for await (const chunk of rejected) text += String(chunk);
  expect(text.match(/HTTP\/1\.1 \d+/g)).toEqual(['HTTP/1.1 503']);
  expect(requests).toBe(0);
});
