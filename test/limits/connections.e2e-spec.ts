import { once } from 'node:events';
import { connect, type Socket } from 'node:net';
import { afterEach, describe, expect, it } from '@jest/globals';
import { Connection } from '../contract/connection.js';
import { get } from '../contract/request-bytes.js';
import { expectSoundAnswer, only } from '../contract/sound-answer.js';
import { eventually } from '../support/eventually.js';
import { startService, type TestService } from '../support/service.js';

let service: TestService;
let key: string;
let open: (Connection | Socket)[];

const lines: string[] = [];

async function start(environment: Readonly<Record<string, string>>): Promise<void> {
  open = [];
  lines.length = 0;
  service = await startService({ environment, onRequestLine: (line) => void lines.push(line) });
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

/** The status of a request on a new connection. */
async function statusOfNew(): Promise<number> {
  const connection = await connected();
  connection.send(get('/v1/pets', key));
  return (await connection.answer()).status;
}

describe('connections', () => {
  it('past the limit of an address are answered 503 like any other answer, and closed', async () => {
    await start({ CONNECTIONS_PER_ADDRESS_MAX: '2' });
    expect([await statusOfNew(), await statusOfNew()]).toEqual([200, 200]);
    const refused = await connected();
    const sentAtMs = Date.now();
    refused.send(get('/v1/pets', key));
    const answer = await refused.answer();
    expectSoundAnswer(answer, { status: 503, code: 'service_unavailable', describes: 'address', sentAtMs });
    expect([only(answer, 'retry-after'), only(answer, 'connection')]).toEqual(['1', 'close']);
    expect(JSON.parse(answer.body)).toMatchObject({ message: expect.stringContaining('from this address') });
    expect(await refused.closed()).toBe('');
  });

  it('past the limit have no line each in the log, for they come in floods', async () => {
    await start({ CONNECTIONS_PER_ADDRESS_MAX: '1' });
    expect(await statusOfNew()).toBe(200);
    for (let nth = 0; nth < 5; nth += 1) expect(await statusOfNew()).toBe(503);
    expect(lines.map((line) => (JSON.parse(line) as { status: number }).status)).toEqual([200]);
  });

  it('past the limit in all are answered so, too, from whatever address', async () => {
    await start({ CONNECTIONS_MAX: '1', TRUST_PROXY: 'loopback' });
    expect([await statusOfNew(), await statusOfNew()]).toEqual([200, 503]);
  });

  it('on which nothing is asked give way when all places are taken, the earliest first', async () => {
    await start({ CONNECTIONS_MAX: '3', TRUST_PROXY: 'loopback' });
    const asking = await connected();
    asking.send(get('/v1/pets', key));
    expect((await asking.answer()).status).toBe(200);
    const [first, second] = [await connected(), await connected()];
    // When they had a second to ask something.
    await eventually(async () => expect(await statusOfNew()).toBe(200));
    expect(await first.closed()).toBe('');
    for (const one of [second, asking]) {
      one.send(get('/v1/pets', key));
      expect((await one.answer()).status).toBe(200);
    }
    expect(await statusOfNew()).toBe(503);
  });

  it('are taken again as soon as others have closed, also by a reset', async () => {
    await start({ CONNECTIONS_PER_ADDRESS_MAX: '2' });
    for (let round = 0; round < 5; round += 1) {
      (await connected()).close();
      const reset = connect(service.port, '127.0.0.1');
      await once(reset, 'connect');
      reset.resetAndDestroy();
    }
    // A place that was not given back would be missing now. Those that are answered stay open.
    for (let place = 0; place < 2; place += 1)
      await eventually(async () => expect(await statusOfNew()).toBe(200));
    expect(await statusOfNew()).toBe(503);
  });

  it('of a trusted proxy are not limited as those of one address', async () => {
    await start({ CONNECTIONS_PER_ADDRESS_MAX: '1', TRUST_PROXY: 'loopback' });
    expect([await statusOfNew(), await statusOfNew(), await statusOfNew()]).toEqual([200, 200, 200]);
  });

  it('that are refused ask nothing of the database, and count against nobody', async () => {
    await start({ CONNECTIONS_PER_ADDRESS_MAX: '1', ADDRESS_LIMIT_PER_MINUTE: '5' });
    const first = await connected();
    first.send(get('/v1/usage', key));
    const before = only(await first.answer(), 'x-ratelimit-remaining');
    for (let n = 0; n < 10; n += 1) expect(await statusOfNew()).toBe(503);
    first.send(get('/v1/usage', key));
    expect(only(await first.answer(), 'x-ratelimit-remaining')).toBe(String(Number(before) - 1));
    first.send(get('/v1/usage', 'psk_guessed'));
    expect(only(await first.answer(), 'x-ratelimit-remaining')).toBe('4');
  });

  it('that are refused and say nothing are closed; past a hundred of them nobody is told', async () => {
    await start({ CONNECTIONS_PER_ADDRESS_MAX: '1' });
    expect(await statusOfNew()).toBe(200);
    const silent = await Promise.all(Array.from({ length: 100 }, () => connected()));
    const untold = await connected();
    untold.send(get('/v1/pets', key));
    expect(await untold.closed()).toBe('');
    for (const one of silent) expect(await one.closed()).toBe('');
    expect(await statusOfNew()).toBe(503);
  });
});

describe('a connection', () => {
  it('stays open between requests for as long as is configured, and says so', async () => {
    await start({ KEEP_ALIVE_TIMEOUT_MS: '1000' });
    const connection = await connected();
    connection.send(get('/v1/pets', key));
    expect(only(await connection.answer(), 'keep-alive')).toBe('timeout=1');
    const idleSinceMs = performance.now();
    expect(await connection.closed()).toBe('');
    expect(performance.now() - idleSinceMs).toBeGreaterThan(900);
  });

  it('stays open longer than a balancer keeps it, by default', async () => {
    await start({});
    const connection = await connected();
    connection.send(get('/v1/pets', key));
    expect(only(await connection.answer(), 'keep-alive')).toBe('timeout=75');
  });

  it.each([
    ['headers', () => 'GET /v1/pets HTTP/1.1\r\nX-Long: '],
    [
      'a body',
      () =>
        `POST /v1/pets HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer ${key}\r\nContent-Type: application/json\r\nContent-Length: 9999\r\n\r\n{`,
    ],
    ['nothing', () => ''],
  ])('on which %s comes drop by drop is answered 408 when the time is over', async (what, begin) => {
    await start({ REQUEST_TIMEOUT_MS: '1000' });
    const connection = await connected();
    const sinceMs = performance.now();
    if (begin() !== '') connection.send(begin());
    // Each drop makes the connection look alive.
    const drip = setInterval(() => what !== 'nothing' && connection.send('x'), 50);
    const answer = await connection.answer().finally(() => clearInterval(drip));
    expect(answer.status).toBe(408);
    expect(performance.now() - sinceMs).toBeGreaterThan(900);
    await connection.closed();
  });

  it('whose client does not take its responses is closed', async () => {
    await start({ REQUEST_TIMEOUT_MS: '1000', CONNECTIONS_PER_ADDRESS_MAX: '1' });
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
        isOpen = (await statusOfNew()) !== 200;
        expect(isOpen).toBe(false);
      }, 20_000);
    }
  });
});
