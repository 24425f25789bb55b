// npm run trial:floods: how one client, with or without a key, can affect others on three replicas behind HAProxy. It needs root, for
// its own network, and Debian's haproxy and openssl; takes four minutes and prints a table. `-- FILE` tries another haproxy.cfg.
import { spawnSync } from 'node:child_process';
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { connect as connectHttp2, constants } from 'node:http2';
import { connect as connectTcp } from 'node:net';
import { join } from 'node:path';
import { Duplex } from 'node:stream';
import { setTimeout as delay } from 'node:timers/promises';
import { connect as connectTls } from 'node:tls';
import pg from 'pg';
import { migrate } from '../../dist/database/migrations.js';
import { openTemporaryDatabase } from '../../tools/temporary-database.mjs';
import { constantLoad, quantile, send, tally } from './client.mjs';
import { check, freePort, makeDirectory, ROOT, startHaproxy, startService } from './local.mjs';
import { selfSigned } from './proxies.mjs';

const [config = join(ROOT, 'deploy/haproxy/haproxy.cfg')] = process.argv.slice(2);
const IN_NETWORK = 'PETSTORE_TRIAL_NETWORK';
/** HAProxy's time-out for silent clients. */
const FLOOD_MS = 15_000;
const HONEST_PER_SECOND = 20;
const WINDOW_MAX = 2 ** 31 - 1;
/** One network of a customer, from which a client may choose any address (RFC 6177). */
const NETWORK = 'fd00:7::';

if (process.env[IN_NETWORK] === undefined) {
  const words = ['--net', process.execPath, ...process.argv.slice(1)];
  const { status } = spawnSync('unshare', words, {
    stdio: 'inherit',
    env: { ...process.env, [IN_NETWORK]: '1' },
  });
  process.exit(status ?? 1);
}
spawnSync('sh', [
  '-euc',
  `ip link set lo up; for n in $(seq 10); do ip address add ${NETWORK}$n/64 dev lo nodad; done`,
]);

async function trial() {
  const database = await openTemporaryDatabase();
  await migrate({ connectionString: database.url });
  const client = new pg.Client({ connectionString: database.url });
  await client.connect();
  const { rows } = await client.query(
    `select key from issue_api_keys('{honest,flooding}', 'enterprise', 1000000, 100000000)`,
  );
  const [honest, flooding] = rows.map(({ key }) => key);
  // A page of the largest pets is the largest response of the interface.
  await client.query(
    `insert into pets (name, category_id, status) select repeat(chr(1), 254) || 'x', 9007199254740993, 'available' from generate_series(1, 100)`,
  );
  Object.assign(process.env, { TRUST_PROXY: '1' });
  const replicas = [];
  for (let n = 0; n < 3; n += 1) {
    const ports = [await freePort(), await freePort()];
    await startService(database.url, 'fatal', { ports });
    replicas.push(ports);
  }
  const haproxy = await startWithTls(replicas);

  console.log(
    '| One client | Requests of others | Failed | 99 % within | Outcomes |\n| --- | ---: | ---: | ---: | --- |',
  );
  for (const [i, [what, begin]] of Object.entries(FLOODS).entries()) {
    const sockets = [];
    const load = constantLoad(HONEST_PER_SECOND, (n) => honestRequest(haproxy.origin, honest, n));
    await delay(1000);
    // An address of its own, because the service limits those without a key by the minute. Honest clients have 127.0.0.1.
    await begin({ ...haproxy, key: flooding, address: `127.0.0.${2 + i}` }, sockets);
    await delay(FLOOD_MS);
    const responses = await load.stop();
    for (const socket of sockets) socket.destroy();
    await delay(1000);
    const failed = responses.filter(({ status }) => !(status < 300));
    if (failed.length > 0) process.exitCode = 1;
    const figures = [responses.length, failed.length, `${quantile(responses, 0.99)} ms`, tally(responses)];
    console.log(`| ${[what, ...figures].join(' | ')} |`);
  }
  const [, memory] = /^VmHWM:\s*(.*)$/m.exec(readFileSync(`/proc/${haproxy.pid}/status`, 'utf8')) ?? [];
  check('no request of others failed', process.exitCode === undefined, `HAProxy took up to ${memory}`);
  await client.end();
  await database.close();
}

/** With connections of their own, as new clients have. */
function honestRequest(origin, key, n) {
  const headers = { connection: 'close' };
  if (n % 10 === 0) {
    const body = JSON.stringify({ name: 'honest', categoryId: 1 });
    return send(origin, { key, method: 'POST', path: '/v1/pets', body, headers });
  }
  return send(origin, { key, path: n % 10 === 1 ? '/openapi.json' : '/v1/pets?limit=5', headers });
}

const CREATE = { path: '/v1/pets', method: 'POST' };

const FLOODS = {
  'no flood': async () => undefined,
  'without a key: 40 × 100 streams of HTTP/2, /openapi.json unread': (flood, sockets) =>
    streams(flood, sockets, { path: '/openapi.json', key: undefined }),
  'without a key: the same as /%6fpenapi.json': (flood, sockets) =>
    streams(flood, sockets, { path: '/%6fpenapi.json', key: undefined }),
  'without a key: 40 × 100 streams of HTTP/2, 401 unread': (flood, sockets) =>
    streams(flood, sockets, { path: '/v1/pets', key: undefined }),
  'without a key: 300 × 100 streams of HTTP/2, large bodies whose end does not come': (flood, sockets) =>
    streams(flood, sockets, {
      ...CREATE,
      key: undefined,
      sessions: 300,
      bodyBytes: 60_000,
      sentBytes: 59_000,
    }),
  'without a key: 300 connections each of ten addresses of one network': connections,
  'with a key: 40 × 100 streams of HTTP/2, pages of the largest pets unread': (flood, sockets) =>
    streams(flood, sockets, { path: '/v1/pets?limit=100' }),
  'with a key: 100 × 100 streams of HTTP/2 whose connection is not read, pages of the largest pets': (
    flood,
    sockets,
  ) => streams(flood, sockets, { path: '/v1/pets?limit=100', sessions: 100, isRead: false }),
  'with a key: 40 × 100 streams of HTTP/2, bodies of a byte a second': (flood, sockets) =>
    streams(flood, sockets, { ...CREATE, bodyBytes: 1000 }),
  'with a key: 300 × 100 streams of HTTP/2, large bodies whose end does not come': (flood, sockets) =>
    streams(flood, sockets, { ...CREATE, sessions: 300, bodyBytes: 60_000, sentBytes: 59_000 }),
};

/** A hundred streams in each session. Their flow-control windows are 0, or the connection is not read. HAProxy takes 32 at a time. */
async function streams(
  flood,
  sockets,
  { path, method = 'GET', key = flood.key, sessions = 40, isRead = true, bodyBytes, sentBytes = 0 },
) {
  for (let n = 0; n < sessions; n += 1) {
    const socket = connectTls({
      ...{ host: '127.0.0.1', port: flood.tlsPort, localAddress: flood.address },
      ...{ ALPNProtocols: ['h2'], rejectUnauthorized: false },
    });
    sockets.push(socket.on('error', () => undefined));
    const connection = isRead ? socket : new UnreadConnection(socket);
    const session = connectHttp2(`https://127.0.0.1:${flood.tlsPort}`, {
      createConnection: () => connection,
      settings: { initialWindowSize: isRead ? 0 : WINDOW_MAX },
    });
    session.on('error', () => undefined);
    await new Promise((resolve) => session.once('remoteSettings', resolve).once('close', resolve));
    if (!isRead && !session.destroyed) session.setLocalWindowSize(WINDOW_MAX);
    connection.isRead = isRead;
    for (let stream = 0; stream < 100 && !session.destroyed; stream += 1) {
      const outgoing = session.request(
        {
          ...{ [constants.HTTP2_HEADER_PATH]: path, [constants.HTTP2_HEADER_METHOD]: method },
          ...(key && { authorization: `Bearer ${key}` }),
          ...(bodyBytes && { 'content-type': 'application/json', 'content-length': bodyBytes }),
        },
        { endStream: bodyBytes === undefined },
      );
      outgoing.on('error', () => undefined);
      if (bodyBytes === undefined) continue;
      outgoing.write(' '.repeat(sentBytes));
      const trickle = setInterval(() => outgoing.write(' '), 1000);
      outgoing.once('close', () => clearInterval(trickle));
    }
  }
}

/** A connection that is read for the handshake alone. */
class UnreadConnection extends Duplex {
  isRead = true;
  #socket;

  constructor(socket) {
    super();
    this.#socket = socket;
    socket.on('data', (bytes) => (this.isRead ? this.push(bytes) : socket.pause()));
    socket.on('close', () => this.destroy());
  }

  _read() {
    // It is pushed as it arrives.
  }

  _write(bytes, _encoding, done) {
    this.#socket.write(bytes, done);
  }
}

/** 300 connections of each of ten addresses, whose headers do not end. */
async function connections({ port }, sockets) {
  for (let n = 0; n < 3000; n += 1) {
    const socket = connectTcp({ host: `${NETWORK}1`, port, localAddress: `${NETWORK}${1 + (n % 10)}` });
    sockets.push(socket.on('error', () => undefined));
    socket.write('GET /v1/pets HTTP/1.1\r\n');
    if (n % 50 === 0) await delay(10);
  }
}

async function startWithTls(replicas) {
  const directory = makeDirectory('floods');
  const certificates = join(directory, 'certificates');
  mkdirSync(certificates);
  selfSigned(directory, 'site');
  const [certificate, key] = ['site.crt', 'site.key'].map((name) => readFileSync(join(directory, name)));
  writeFileSync(join(certificates, 'site.pem'), Buffer.concat([certificate, key]));
  const file = join(directory, 'haproxy.cfg');
  writeFileSync(file, readFileSync(config, 'utf8').replace('/certificates', certificates));
  const [port, tlsPort] = [await freePort(), await freePort()];
  const { pid } = await startHaproxy(file, replicas, {
    HAPROXY_BIND: `[::]:${port} v4v6`,
    HAPROXY_TLS_BIND: `[::]:${tlsPort} v4v6`,
  });
  const origin = `http://127.0.0.1:${port}`;
  for (let wait = 0; (await send(origin, { path: '/openapi.json' })).status !== 200; wait += 1) {
    if (wait > 100) throw new Error('HAProxy did not start');
    await delay(100);
  }
  return { origin, port, tlsPort, pid };
}

await trial();
// HAProxy, the replicas and the database end with this process.
process.exit();
