import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { ask } from './ask.js';
import { onDatabase, setStage, type Stage, stoppedClock } from './circumstances.js';
import { Connection } from './connection.js';
import { type Kind, nameOf } from './kind.js';
import { KINDS } from './kinds/kinds.js';
import { request } from './request-bytes.js';
import { only } from './sound-answer.js';

/** What was charged so far: to all keys together, and to the client address. */
interface Charged {
  readonly keys: number;
  readonly address: number;
}

const ADDRESS_LIMIT = 100_000;
const ROOMY = { ADDRESS_LIMIT_PER_MINUTE: String(ADDRESS_LIMIT) };

const kindsOn = (circumstance: string): (readonly [string, Kind])[] =>
  KINDS.filter(({ on = 'ordinary' }) => on === circumstance).map((kind) => [nameOf(kind), kind]);

describe('a request is charged once', () => {
  let stage: Stage;
  beforeAll(async () => {
    stage = await onDatabase('ordinary', ROOMY, stoppedClock());
  });
  afterAll(() => stage.close());

  it.each(kindsOn('ordinary'))('%s', async (_name, kind) => {
    const before = await charged(stage);
    await askToTheEnd(kind, stage);
    expect(difference(await charged(stage), before)).toEqual(chargeOf(kind));
  });
});

describe('a request that is refused for its limit is charged to neither window', () => {
  let stage: Stage;
  beforeAll(async () => {
    stage = await setStage('used up');
  });
  afterAll(() => stage.close());

  it.each(kindsOn('used up'))('%s', async (_name, kind) => {
    const before = await charged(stage);
    await askToTheEnd(kind, stage);
    expect((await charged(stage)).keys - before.keys).toBe(chargeOf(kind).keys);
  });
});

describe('a request that comes too late is charged once', () => {
  it('whether its time ends in the headers or in the body', async () => {
    const stage = await onDatabase('impatient', { ...ROOMY, REQUEST_TIMEOUT_MS: '1000' }, stoppedClock());
    const kinds = kindsOn('impatient').map(([, kind]) => kind);
    const before = await charged(stage);
    await Promise.all(kinds.map((kind) => askToTheEnd(kind, stage)));
    const expected = kinds.map(chargeOf).reduce((sum, one) => ({
      keys: sum.keys + one.keys,
      address: sum.address + one.address,
    }));
    expect(difference(await charged(stage), before)).toEqual(expected);
    await stage.close();
  });
});

describe('a request that nobody can decide about is charged to nobody', () => {
  it('not to the address, either', async () => {
    const stage = await setStage('no database');
    const before = await addressRemaining(stage);
    const kinds = kindsOn('no database').map(([, kind]) => kind);
    await Promise.all(kinds.filter(({ status }) => status === 503).map((kind) => askToTheEnd(kind, stage)));
    expect(await addressRemaining(stage)).toBe(before);
    await stage.close();
  });
});

/** The good requests before it are charged to the key, each once. */
const chargeOf = ({ after = 0, limit, free }: Kind): Charged => ({
  keys: after + (limit === 'key' && free !== true ? 1 : 0),
  address: limit === 'address' && free !== true ? 1 : 0,
});

const difference = (now: Charged, before: Charged): Charged => ({
  keys: now.keys - before.keys,
  address: now.address - before.address,
});

/** Until the connection has ended, if it does: nothing that the request leads to comes later. */
const askToTheEnd = (kind: Kind, stage: Stage): Promise<void> =>
  Connection.with(stage.service.port, async (connection) => {
    const answer = await ask(connection, kind, stage);
    if (only(answer, 'connection') === 'close') await connection.closed();
  });

async function charged(stage: Stage): Promise<Charged> {
  const { rows } = await stage.service.pool.query<{ minute: bigint; day: bigint }>(
    'select sum(minute_admitted) as minute, sum(day_admitted) as day from api_key_counters',
  );
  const [{ minute, day } = { minute: NaN, day: NaN }] = rows;
  expect(day).toBe(minute);
  return { keys: Number(minute), address: ADDRESS_LIMIT - (await addressRemaining(stage)) };
}

/** A preflight tells what is left of the address's limit, and takes nothing of it. */
function addressRemaining({ service }: Stage): Promise<number> {
  return Connection.with(service.port, async (connection) => {
    connection.send(request('OPTIONS /', ['Origin: null', 'Access-Control-Request-Method: GET']));
    return Number(only(await connection.answer(), 'x-ratelimit-remaining'));
  });
}
