import { setTimeout as delay } from 'node:timers/promises';
import type { Pool } from 'pg';
import { issueKeys, type TestKey } from '../../support/issue-keys.js';
import { History } from './history.js';
import { LoadClient } from './load-client.js';
import { Market } from './market.js';

/** Sixty-four clients that list, add, order, change and read back, at a pace that two busy cores keep up with. */
export interface MixedLoad {
  readonly history: History;
  /** The keys with few requests, which the clients wear out one after another. */
  readonly tightKeys: readonly TestKey[];
  /** While it is set, a connection may break without an answer: a replica is about to be killed. */
  mayBreak: boolean;
  /** Lets every client hear of what it repeats, and ends them. */
  stop(): Promise<void>;
}

export interface MixedLoadOptions {
  /** Straight to the database, never through what fails. */
  readonly pool: Pool;
  readonly origins: readonly string[];
  readonly clients?: number;
  readonly thinkMs?: number;
}

export const CLIENTS = 64;
/** Of eight clients one has no key of its own, and meets limits. */
const TIGHT_EVERY = 8;
export const TIGHT_PER_MINUTE = 20;
/** About 640 requests a second: half of what two cores can do that also run the clients, the database and other tests. */
const THINK_MS = 100;
/** A client that has still no word after so many repeats never gets any. */
const REPEATS_MAX = 100;

const ROOMY = { perMinute: 1_000_000, perDay: 10_000_000 };

export async function startMixedLoad(options: MixedLoadOptions): Promise<MixedLoad> {
  const { pool, origins, clients: count = CLIENTS, thinkMs = THINK_MS } = options;
  const roomy = await issueKeys(pool, 8, ROOMY);
  const tightKeys = await issueKeys(pool, 1000, { perMinute: TIGHT_PER_MINUTE, perDay: ROOMY.perDay });
  const market = new Market(await addPets(pool, 5000), tightKeys);
  const history = new History();
  const load = { history, tightKeys, mayBreak: false, stop: () => end() };
  const clients = Array.from({ length: count }, (_, number) => {
    const key = number % TIGHT_EVERY === 0 ? undefined : roomy[number % roomy.length];
    return new LoadClient({ number, origins, key, market, history, mayBreak: () => load.mayBreak });
  });
  let stopping = false;
  const think = (): Promise<void> => delay(thinkMs * (0.5 + Math.random()));
  const runs = clients.map(async (client) => {
    await delay(thinkMs * Math.random());
    while (!stopping) {
      await client.step();
      await think();
    }
    for (let left = REPEATS_MAX; client.isUnsure && left > 0; left -= 1) {
      await client.step();
      await think();
    }
  });
  const end = async (): Promise<void> => {
    stopping = true;
    await Promise.all(runs);
    for (const client of clients) client.close();
  };
  return load;
}

async function addPets(pool: Pool, count: number): Promise<readonly bigint[]> {
  const { rows } = await pool.query<{ id: string }>(
    `insert into pets (name, category_id, status)
     select 'to be ordered ' || n, 1, 'available' from generate_series(1, $1) as n
     returning id::text`,
    [count],
  );
  return rows.map(({ id }) => BigInt(id));
}
