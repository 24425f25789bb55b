import { setTimeout as delay } from 'node:timers/promises';
import type { Pool } from 'pg';
import { issueKeys, ROOMY, type TestKey } from '../../support/issue-keys.js';
import { History } from './history.js';
import { LoadClient, type SharedTargets } from './load-client.js';

/** Clients that list, create, order, change and read back, at a pace that two busy cores keep up with. */
export interface MixedLoad {
  readonly history: History;
  /** The keys with few requests, which the clients use up one after another. */
  readonly tightKeys: readonly TestKey[];
  /** While it is set, a connection may break without a response: a replica is about to be killed. */
  mayBreak: boolean;
  /** Lets every client learn the outcome of what it repeats, and ends them. */
  stop(): Promise<void>;
}

const CLIENTS = 64;
/** Of eight clients one has no key of its own, and reaches limits. */
const TIGHT_EVERY = 8;
export const TIGHT_PER_MINUTE = 20;
/** About 640 requests a second: half of what two cores can do that also run the clients, the database and other tests. */
const THINK_MS = 100;
/** A client without an outcome after so many repeats never gets one. */
const REPEATS_MAX = 100;
/** Clients that want the same pet: enough for a race on every one, and for a winner of most. */
const RIVALS = 4;

/** @param pool connects directly to the database, never through what fails */
export async function startMixedLoad({
  pool,
  origins,
}: {
  readonly pool: Pool;
  readonly origins: readonly string[];
}): Promise<MixedLoad> {
  const roomy = await issueKeys(pool, 8, ROOMY);
  const tightKeys = await issueKeys(pool, 1000, { ...ROOMY, perMinute: TIGHT_PER_MINUTE });
  const targets = sharedTargets(await addPets(pool, 5000), tightKeys);
  const history = new History();
  const load = { history, tightKeys, mayBreak: false, stop: () => stop() };
  const clients = Array.from({ length: CLIENTS }, (_, number) => {
    const key = number % TIGHT_EVERY === 0 ? undefined : roomy[number % roomy.length];
    return new LoadClient({ number, origins, key, targets, history, mayBreak: () => load.mayBreak });
  });
  let isStopping = false;
  const runs = clients.map(async (client) => {
    await delay(THINK_MS * Math.random());
    while (!isStopping) {
      await client.step();
      await think();
    }
    for (let left = REPEATS_MAX; client.isUnsure && left > 0; left -= 1) {
      await client.step();
      await think();
    }
  });
  const stop = async (): Promise<void> => {
    isStopping = true;
    await Promise.all(runs);
    for (const client of clients) client.close();
  };
  return load;
}

const think = (): Promise<void> => delay(THINK_MS * (0.5 + Math.random()));

function sharedTargets(pets: readonly bigint[], tightKeys: readonly TestKey[]): SharedTargets {
  let requested = 0;
  let usedUp = 0;
  const tightKey = (): TestKey => tightKeys[usedUp] as TestKey;
  return {
    nextPet: () => pets[Math.floor(requested++ / RIVALS) % pets.length] as bigint,
    tightKey,
    markUsedUp: (key) => {
      if (key === tightKey() && usedUp < tightKeys.length - 1) usedUp += 1;
    },
  };
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
