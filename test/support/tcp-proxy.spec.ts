import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { once } from 'node:events';
import { type AddressInfo, connect, createServer, type Server, type Socket } from 'node:net';
import { eventually } from './eventually.js';
import { createTcpProxy, type TcpProxy } from './tcp-proxy.js';

const DELAY_MS = 50;

interface TestServer {
  readonly server: Server;
  /** All that it was sent, and `(closed)` for each connection that is over. */
  readonly heard: string[];
}

interface TestClient {
  readonly socket: Socket;
  /** All that came, and `(end)` or the error's code when it is over. */
  readonly got: string[];
}

let target: TestServer;
let proxy: TcpProxy;

beforeEach(async () => {
  target = await openServer();
  const { port } = target.server.address() as AddressInfo;
  proxy = await createTcpProxy(`postgresql://someone@127.0.0.1:${port}/somewhere?sslmode=disable`);
});

afterEach(async () => {
  await proxy.close();
  const closed = once(target.server, 'close');
  target.server.close();
  await closed;
});

/** A server that says everything back in capitals. */
async function openServer(): Promise<TestServer> {
  const heard: string[] = [];
  const server = createServer((socket) => {
    socket.on('error', () => undefined);
    socket.on('data', (bytes) => {
      heard.push(String(bytes));
      socket.write(String(bytes).toUpperCase());
    });
    socket.on('close', () => heard.push('(closed)'));
  }).listen(0, '127.0.0.1');
  await once(server, 'listening');
  return { server, heard };
}

async function open(): Promise<TestClient> {
  const socket = connect(Number(new URL(proxy.url).port), '127.0.0.1');
  const got: string[] = [];
  socket.on('data', (bytes) => got.push(String(bytes)));
  socket.on('end', () => got.push('(end)'));
  socket.on('error', (error: NodeJS.ErrnoException) => got.push(`(${error.code})`));
  await new Promise((resolve) => socket.once('connect', resolve).once('close', resolve));
  return { socket, got };
}

/** A client that has said `one` and heard `ONE`. */
async function openAndTalk(): Promise<TestClient> {
  const client = await open();
  client.socket.write('one');
  await eventually(() => expect(client.got).toEqual(['ONE']));
  return client;
}

describe('createTcpProxy', () => {
  it('strands what is open for good, and passes what is new', async () => {
    const before = await openAndTalk();
    await proxy.mode('strand');
    before.socket.write('two');
    await openAndTalk();
    await proxy.mode('pass');
    await openAndTalk();
    expect(before.got).toEqual(['ONE']);
  });

  it('ends the server’s side of what is open, and sends the client nothing, when it is half open', async () => {
    const before = await openAndTalk();
    await proxy.mode('half-open');
    await eventually(() => expect(target.heard).toEqual(['one', '(closed)']));
    before.socket.write('two');
    await openAndTalk();
    expect(before.got).toEqual(['ONE']);
  });

  it('breaks off in the middle of a message when it truncates', async () => {
    const client = await openAndTalk();
    await proxy.mode('truncate');
    client.socket.write('four');
    await eventually(() =>
      expect(client.got).toEqual(['ONE', 'FO', expect.stringMatching(/end|ECONNRESET/)]),
    );
    await proxy.mode('pass');
    await openAndTalk();
  });

  it('delays each way, in order, and drips', async () => {
    const client = await openAndTalk();
    proxy.pace({ delayMs: DELAY_MS });
    const begunAt = performance.now();
    client.socket.write('two');
    await eventually(() => expect(client.got).toEqual(['ONE', 'TWO']));
    expect(performance.now() - begunAt).toBeGreaterThanOrEqual(2 * DELAY_MS - 2);
    proxy.pace({ dripBytes: 1, dripMs: 5 });
    client.socket.write('three');
    await eventually(() => expect(client.got.slice(2).join('')).toBe('THREE'));
    expect(client.got.length).toBeGreaterThan(3);
  });
});
