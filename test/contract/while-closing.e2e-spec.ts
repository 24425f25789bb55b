import { once } from 'node:events';
import { connect } from 'node:net';
import { setImmediate as turn } from 'node:timers/promises';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { MADE_UP_KEYS, setStage, type Stage } from './circumstances.js';
import { Connection } from './connection.js';
import { type Kind, nameOf } from './kind.js';
import { KINDS } from './kinds/kinds.js';
import { get } from './request-bytes.js';
import { expectSoundAnswer, only } from './sound-answer.js';

/** What begins with a method that exists: of anything else the first byte is answered already. */
const BEGINS_WELL = /^(?:GET|HEAD|POST|PUT|PATCH|DELETE|OPTIONS|TRACE|CONNECT|PROPFIND|QUERY) /;

const KINDS_THEN = KINDS.filter(
  ({ on = 'ordinary', after, bytes }) =>
    on === 'ordinary' && after === undefined && BEGINS_WELL.test(bytes(MADE_UP_KEYS).toString('latin1')),
);

describe('while the service closes, a request that has begun gets its answer, and its connection ends', () => {
  const connections = new Map<Kind, Connection>();
  let stage: Stage;
  let closed: Promise<void>;

  beforeAll(async () => {
    stage = await setStage('ordinary');
    for (const kind of KINDS_THEN) connections.set(kind, await begin(kind, stage));
    closed = stage.close();
    await expectNoMoreConnections(stage.service.port);
  });
  afterAll(() => connections.forEach((connection) => connection.close()));

  it.each(KINDS_THEN.map((kind) => [nameOf(kind), kind] as const))('%s', async (_name, kind) => {
    const connection = connections.get(kind);
    if (connection === undefined) throw new Error('the request has not begun');
    await goOn(kind, connection, stage);
  });

  it('closes when all of them are answered', () => closed);
});

/** Sends a good request and the first byte of another one: when the first is answered, the second has begun. */
async function begin(kind: Kind, { service, keys }: Stage): Promise<Connection> {
  const connection = await Connection.open(service.port);
  const firstByte = Buffer.from(kind.bytes(keys)).subarray(0, 1);
  connection.send(Buffer.concat([Buffer.from(get('/v1/pets', keys.good)), firstByte]));
  expect((await connection.answer()).status).toBe(200);
  return connection;
}

async function goOn(kind: Kind, connection: Connection, { keys, nowMs }: Stage): Promise<void> {
  const { isHead, status, code, limit, bodyOnContinue } = kind;
  const sentAtMs = nowMs();
  connection.send(Buffer.from(kind.bytes(keys)).subarray(1));
  if (bodyOnContinue !== undefined) {
    expect((await connection.answer()).status).toBe(100);
    connection.send(bodyOnContinue);
  }
  const answer = await connection.answer({ isHead });
  expectSoundAnswer(answer, { status, code, describes: limit, isHead, sentAtMs });
  expect(only(answer, 'connection')).toBe('close');
  expect(await connection.closed()).toBe('');
}

/** Waits until the close has begun, which shows outside in this alone. */
async function expectNoMoreConnections(port: number): Promise<void> {
  for (let tries = 0; tries < 10_000; tries += 1) {
    const socket = connect(port, '127.0.0.1');
    const accepted = await once(socket, 'connect').then(
      () => true,
      () => false,
    );
    socket.destroy();
    if (!accepted) return;
    await turn();
  }
  throw new Error('the service goes on accepting connections');
}
