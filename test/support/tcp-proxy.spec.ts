import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { once } from 'node:events';
import { type AddressInfo, connect, createServer, type Server, type Socket } from 'node:net';
import { setTimeout as delay } from 'node:timers/promises';
import { eventually } from './eventually.js';
import { createTcpProxy, type TcpProxy } from './tcp-proxy.js';

/** Long enough for bytes to arrive on an idle machine, were they let through. */
const SILENCE_MS = 50;

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
  it('keeps all of the URL but its address', () => {
    const url = new URL(proxy.url);
    expect(`${url.username} ${url.hostname} ${url.pathname}${url.search}`).toBe(
      'someone 127.0.0.1 /somewhere?sslmode=disable',
    );
  });

  it('passes bytes and ends on', async () => {
    const client = await openAndTalk();
    client.socket.end();
    await eventually(() => expect(client.got).toEqual(['ONE', '(end)']));
    await eventually(() => expect(target.heard).toEqual(['one', '(closed)']));
    expect(proxy.connections).toBe(0);
  });

  it('closes its port and resets connections, then passes again on the same port', async () => {
    const before = await openAndTalk();
    await proxy.mode('close');
    await eventually(() => expect(before.got).toEqual(['ONE', '(ECONNRESET)']));
    expect((await open()).got).toEqual(['(ECONNREFUSED)']);
    await proxy.mode('pass');
    await openAndTalk();
  });

  it('cuts what is open and what is new', async () => {
    const before = await openAndTalk();
    await proxy.mode('cut');
    const during = await open();
    await eventually(() =>
      expect([before.got, during.got]).toEqual([['ONE', '(ECONNRESET)'], ['(ECONNRESET)']]),
    );
  });

  it('lets nothing through a black hole, not even an end, and everything afterwards', async () => {
    const stays = await openAndTalk();
    const leaves = await openAndTalk();
    await proxy.mode('black-hole');
    const isNew = await open();
    stays.socket.write('two');
    isNew.socket.write('three');
    leaves.socket.destroy();
    await delay(SILENCE_MS);
    expect([stays.got, isNew.got]).toEqual([['ONE'], []]);
    expect(target.heard).toEqual(['one', 'one']);

    await proxy.mode('pass');
    await eventually(() => expect([stays.got, isNew.got]).toEqual([['ONE', 'TWO'], ['THREE']]));
    await eventually(() => expect(target.heard).toContain('(closed)'));
  });

  it('keeps responses alone back when it is mute', async () => {
    const client = await openAndTalk();
    await proxy.mode('mute');
    client.socket.write('two');
    await eventually(() => expect(target.heard).toEqual(['one', 'two']));
    await delay(SILENCE_MS);
    expect(client.got).toEqual(['ONE']);
    await proxy.mode('pass');
    await eventually(() => expect(client.got).toEqual(['ONE', 'TWO']));
  });

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
    proxy.pace({ delayMs: SILENCE_MS });
    const begunAt = performance.now();
    client.socket.write('two');
    await eventually(() => expect(client.got).toEqual(['ONE', 'TWO']));
    expect(performance.now() - begunAt).toBeGreaterThanOrEqual(2 * SILENCE_MS - 2);
    proxy.pace({ dripBytes: 1, dripMs: 5 });
    client.socket.write('three');
    await eventually(() => expect(client.got.slice(2).join('')).toBe('THREE'));
    expect(client.got.length).toBeGreaterThan(3);
  });
});
