import { afterAll, beforeAll, describe, expect, it, jest } from '@jest/globals';
import { setTimeout as delay } from 'node:timers/promises';
import { issueKeys } from '../support/issue-keys.js';
import { holdOpen } from '../support/operators.js';
import { tell } from './support/figures.js';
import { createAgent, send } from './support/send.js';
import { openStage, type Stage } from './support/stage.js';

jest.setTimeout(120_000);

const CALM_MS = 2000;
const HELD_MS = 5000;
/** Clients that want a pet whose row is locked, and repeat their order until they have it. */
const WAITING = 15;
const REPEAT_MS = 100;

let stage: Stage;
let key: string;
beforeAll(async () => {
  stage = await openStage();
  [{ key = '' } = {}] = await issueKeys(stage.pool, 1, { perMinute: 1_000_000, perDay: 10_000_000 });
});
afterAll(() => stage.close());

async function addPets(count: number): Promise<readonly string[]> {
  const { rows } = await stage.pool.query<{ id: string }>(
    `insert into pets (name, category_id, status)
     select 'to be locked', 1, 'available' from generate_series(1, $1) returning id::text`,
    [count],
  );
  return rows.map(({ id }) => id);
}

interface Waited {
  readonly status: number;
  readonly ms: number;
  readonly endedAt: number;
}

/** Orders a pet until somebody has it. */
async function orderUntilSold(client: number, petId: string): Promise<readonly Waited[]> {
  const agent = createAgent();
  const all: Waited[] = [];
  for (;;) {
    const sentAt = performance.now();
    const { status } = await send(stage.origins[client % stage.origins.length] ?? '', {
      method: 'POST',
      path: '/v1/store/orders',
      body: `{"petId":${petId}}`,
      headers: {
        authorization: `Bearer ${key}`,
        ...(client % 2 === 0 && { 'idempotency-key': `${petId}-${client}` }),
      },
      agent,
    });
    const endedAt = performance.now();
    all.push({ status, ms: endedAt - sentAt, endedAt });
    if (status !== 503) break;
    await delay(REPEAT_MS);
  }
  agent.destroy();
  return all;
}

const slowestMs = (of: readonly { readonly ms: number }[]): number =>
  Math.round(Math.max(...of.map(({ ms }) => ms)));

describe('rows that another session keeps locked, under mixed load on three replicas', () => {
  it.each([1, 100])('cost the orders of other pets nothing: %i of them', async (rows) => {
    const load = await stage.load();
    await delay(CALM_MS);
    const pets = await addPets(rows);
    const held = await holdOpen(stage.server.url, 'select from pets where id = any($1) for update', [pets]);
    const heldAt = performance.now();
    const clients = Array.from({ length: WAITING * Math.min(rows, 3) }, (_, client) =>
      orderUntilSold(client, pets[client % rows] ?? ''),
    );
    await delay(HELD_MS);
    const freeAt = performance.now();
    await held.stop();
    const waited = (await Promise.all(clients)).flat();
    await delay(CALM_MS);
    await load.stop();

    // The records of the load know nothing of these orders.
    await stage.pool.query(
      `with gone as (delete from orders where pet_id = any($1)) delete from pets where id = any($1)`,
      [pets],
    );

    const { history } = load;
    const { lost, wrong, limits } = await stage.check();
    const beside = history.exchanges.filter(({ sentAt }) => sentAt >= heldAt && sentAt < freeAt);
    const unavailable = history.count(({ status }) => status === 503);
    const placed = waited.filter(({ status }) => status === 201);
    const healMs = Math.max(...placed.map(({ endedAt }) => endedAt - freeAt));
    await tell({
      fault: `locked rows: ${rows} of them locked by another session for ${HELD_MS / 1000} s, ${clients.length} clients order these pets`,
      injected: rows,
      requests: history.requests + waited.length,
      wrong: wrong.length + limits.exceeded.length,
      lost: lost.length + limits.uncounted,
      healMs,
      also: `${unavailable} of ${beside.length} other requests got 503, the slowest in ${slowestMs(beside)} ms; those of locked rows in ${slowestMs(waited)} ms`,
    });
    expect(lost).toEqual([]);
    expect(wrong).toEqual([]);
    expect(limits).toMatchObject({ exceeded: [], uncounted: 0 });
    expect(unavailable).toBe(0);
    expect(stage.replicas.map((replica) => replica.log()).join('\n')).toMatch(
      /statements are waiting for a lock of session \d+ \(role petstore/,
    );
    // Each pet that somebody wanted went to one of them, once it was free, and to nobody before.
    expect(placed).toHaveLength(Math.min(rows, clients.length));
    expect(healMs).toBeGreaterThan(0);
  });
});
