import { once } from 'node:events';
import { connect } from 'node:net';
import { setImmediate as turn } from 'node:timers/promises';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { ERROR_CODES } from '../src/errors/error-codes.js';
import { OPERATIONS } from './support/document.js';
import { expectRow } from './support/http/expect-row.js';
import { get, request } from './support/http/request-bytes.js';
import { labelOf, RESPONSE_TABLE, rowsIn } from './support/http/response-table.js';
import type { Row } from './support/http/rows/row.js';
import {
  ADDRESS_LIMIT,
  MADE_UP_KEYS,
  type ServiceInState,
  type ServiceState,
  startInState,
} from './support/http/service-states.js';
import { expectSound } from './support/http/sound-response.js';
import { processTimeMs } from './support/process-time.js';
import { Connection, only } from './support/wire.js';

/** Where a response takes seconds, all requests are sent at once. */
const STATES: readonly (readonly [ServiceState, 'one by one' | 'at once'])[] = [
  ['ordinary', 'one by one'],
  ['limited', 'one by one'],
  ['future', 'one by one'],
  ['failing', 'one by one'],
  ['impatient', 'at once'],
  ['no database', 'at once'],
  ['silent database', 'at once'],
];

const AWAY = { status: 503, code: 'service_unavailable', limit: 'address' } as const;

/** The response to a good request; 200 unless named. */
const NEXT: Partial<Record<ServiceState, Pick<Row, 'status' | 'code' | 'limit'>>> = {
  failing: { status: 500, code: 'internal_error', limit: 'key' },
  'no database': AWAY,
  'silent database': AWAY,
};

/** Without a database, a response comes within this time all the same. */
const UNAVAILABLE_WITHIN_MS = 2000;

/** The requests that must have been charged so far: to the keys together, and to the client address. */
interface Charged {
  keys: number;
  address: number;
}

describe.each(STATES)('a response of a service in the state "%s" is as promised', (state, order) => {
  const table = rowsIn(state);
  const examined = new Map<Row, Promise<void>>();
  const expected: Charged = { keys: 0, address: 0 };
  let running: ServiceInState;
  let before: Charged;

  beforeAll(async () => {
    running = await startInState(state);
    before = await charged(running);
    if (order === 'one by one') return;
    for (const [, row] of table) examined.set(row, examine(row));
    await Promise.allSettled(examined.values());
  });
  afterAll(() => running.close());

  it.each(table)('%s', (_name, row) => examined.get(row) ?? examine(row));

  it('and each request was charged once, to the key or to the address', async () => {
    const now = await charged(running);
    expect({ keys: now.keys - before.keys, address: now.address - before.address }).toEqual(expected);
  });

  function examine(row: Row): Promise<void> {
    return Connection.with(running.service.port, async (connection) => {
      const startedAtMs = processTimeMs();
      const response = await expectRow(connection, row, running);
      if (row.status === 503) expect(processTimeMs() - startedAtMs).toBeLessThan(UNAVAILABLE_WITHIN_MS);
      expected.keys += (row.after ?? 0) + (row.limit === 'key' && row.isFree !== true ? 1 : 0);
      // Past its limit an address is charged no more.
      if (row.limit === 'address' && row.isFree !== true && state !== 'limited') expected.address += 1;
      if (only(response, 'connection') === 'close') expect(await connection.closed()).toBe('');
      else await expectInStep(connection);
    });
  }

  /** Bytes of a request that were not read are not taken for the next one. */
  async function expectInStep(connection: Connection): Promise<void> {
    const sentAtMs = running.nowMs();
    connection.send(get('/v1/pets', running.keys.good));
    const next = NEXT[state] ?? { status: 200, limit: 'key' };
    expectSound(await connection.response(), { ...next, sentAtMs });
    if (next.limit === 'key') expected.keys += 1;
  }
});

async function charged({ state, service }: ServiceInState): Promise<Charged> {
  const address = state === 'limited' ? 0 : ADDRESS_LIMIT - (await addressRemaining(service.port));
  if (state.endsWith('database')) return { keys: 0, address };
  const { rows } = await service.pool.query<{ minute: bigint; day: bigint }>(
    'select sum(minute_admitted) as minute, sum(day_admitted) as day from api_key_counters',
  );
  const [{ minute, day } = { minute: NaN, day: NaN }] = rows;
  expect(day).toBe(minute);
  return { keys: Number(minute), address };
}

/** A preflight reports the limit of the address, and is not charged. */
function addressRemaining(port: number): Promise<number> {
  return Connection.with(port, async (connection) => {
    connection.send(request('OPTIONS /', ['Origin: null', 'Access-Control-Request-Method: GET']));
    return Number(only(await connection.response(), 'x-ratelimit-remaining'));
  });
}

/** Of other methods, the first byte has a response already. */
const BEGINS_WELL = /^(?:GET|HEAD|POST|PUT|PATCH|DELETE|OPTIONS|TRACE|CONNECT|PROPFIND|QUERY) /;

const OPERATION_IDS = new Set<string | undefined>(OPERATIONS.map(({ id }) => id));

/** Of the operations, only what succeeds: their errors are those of other rows. */
const BEGUN = rowsIn('ordinary').filter(
  ([, { name, code, after, bytes }]) =>
    after === undefined &&
    (code === undefined || !OPERATION_IDS.has(name.split(',')[0])) &&
    BEGINS_WELL.test(bytes(MADE_UP_KEYS).toString('latin1')),
);

describe('while the service closes, requests in flight get a response, then their connections close', () => {
  const connections = new Map<Row, Connection>();
  let running: ServiceInState;
  let closed: Promise<void>;

  beforeAll(async () => {
    running = await startInState('ordinary');
    const { service, keys } = running;
    for (const [, row] of BEGUN) {
      const connection = await Connection.open(service.port);
      connections.set(row, connection);
      const firstByte = Buffer.from(row.bytes(keys)).subarray(0, 1);
      connection.send(Buffer.concat([Buffer.from(get('/v1/pets', keys.good)), firstByte]));
      expect((await connection.response()).status).toBe(200);
    }
    closed = running.close();
    await untilNotAccepting(service.port);
  });
  afterAll(() => connections.forEach((connection) => connection.close()));

  it.each(BEGUN)('%s', async (_name, row) => {
    const connection = connections.get(row);
    if (connection === undefined) throw new Error('the request has not begun');
    const { connection: _otherwise, ...expected } = row;
    const response = await expectRow(connection, expected, running, { skipBytes: 1 });
    expect(only(response, 'connection')).toBe('close');
    expect(await connection.closed()).toBe('');
  });

  it('and it closes when all of them have their responses', () => closed);
});

async function untilNotAccepting(port: number): Promise<void> {
  for (let tries = 0; tries < 10_000; tries += 1) {
    const socket = connect(port, '127.0.0.1');
    const isAccepted = await once(socket, 'connect').then(
      () => true,
      () => false,
    );
    socket.destroy();
    if (!isAccepted) return;
    await turn();
  }
  throw new Error('the service goes on accepting connections');
}

describe('the table', () => {
  it('has rows under labels of their own', () => {
    expect(RESPONSE_TABLE.length).toBeGreaterThan(150);
    expect(new Set(RESPONSE_TABLE.map(labelOf)).size).toBe(RESPONSE_TABLE.length);
  });

  it('has every code', () => {
    const codes = new Set<string | undefined>(RESPONSE_TABLE.map(({ code }) => code));
    const missing = Object.keys(ERROR_CODES).filter((code) => !codes.has(code));
    expect(
      missing.map((code) => `${code}: no operation of docs/openapi.yaml has it (npm run openapi)`),
    ).toEqual([]);
  });

  it('has every operation of each code', () => {
    const named = Object.values<{ status: number; operations?: readonly string[] }>(ERROR_CODES);
    expect(named.flatMap(({ operations = [] }) => operations).filter((id) => !OPERATION_IDS.has(id))).toEqual(
      [],
    );
  });
});
