import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it, jest } from '@jest/globals';
import { setTimeout as delay } from 'node:timers/promises';
import { holdOpen } from '../support/operators.js';
import { tell } from './support/figures.js';
import { fillDisk, openSmallDisk, type SmallDisk } from './support/small-disk.js';
import type { MixedLoad } from './support/mixed-load.js';
import { asSuperuser } from './support/postgres-server.js';
import { takeAllSessions } from './support/sessions.js';
import { openStage, type Stage } from './support/stage.js';

jest.setTimeout(120_000);

const CALM_MS = 2000;
const FAULT_MS = 3000;
/** Two seconds; the rest is for a machine that has other things to do. */
const HEALED_MS = 3000;

let stage: Stage;
let disk: SmallDisk;
let load: MixedLoad;
beforeAll(async () => {
  stage = await openStage({ settings: { max_connections: '40' } });
  disk = await openSmallDisk(stage.server);
});
afterAll(async () => {
  await stage.close();
  await disk.close();
});
beforeEach(async () => {
  load = await stage.load();
});
afterEach(() => load.stop());

/** Ends the service's sessions, so that those it opens next begin as the role says. */
const endSessions = (): Promise<unknown> =>
  asSuperuser(
    stage.server,
    `select pg_terminate_backend(pid) from pg_stat_activity where application_name = 'petstore'`,
  );

const everyTable = 'lock table pets, orders, api_key_counters, idempotency_keys in access exclusive mode';

interface Trouble {
  readonly fault: string;
  /** Troubles the server for a while, and resolves when it is well. */
  readonly inject: () => Promise<void>;
  /** What the log of a replica says of it. */
  readonly cause: RegExp;
}

const TROUBLES: readonly Trouble[] = [
  {
    fault: '`max_connections` reached by others',
    inject: async () => {
      await stage.proxy.mode('refuse');
      const others = await takeAllSessions(stage.server);
      await stage.proxy.mode('pass');
      await delay(FAULT_MS);
      await Promise.all(others.map((other) => other.end()));
    },
    cause: /too many clients|remaining connection slots/,
  },
  {
    fault: 'the disk of the tables is full',
    inject: async () => {
      const full = await fillDisk(stage.server);
      await delay(FAULT_MS);
      await full.free();
    },
    cause: /could not extend file|No space left on device/,
  },
  {
    fault: 'the primary is read-only',
    inject: async () => {
      await asSuperuser(stage.server, 'alter role petstore set default_transaction_read_only = on');
      await endSessions();
      await delay(FAULT_MS);
      await asSuperuser(stage.server, 'alter role petstore reset default_transaction_read_only');
    },
    cause: /read-only transaction/,
  },
  {
    fault: 'every statement runs out of its time',
    inject: async () => {
      await asSuperuser(stage.server, `alter role petstore set statement_timeout = '1ms'`);
      await endSessions();
      await delay(FAULT_MS);
      await asSuperuser(stage.server, 'alter role petstore reset statement_timeout');
    },
    cause: /statement timeout/,
  },
  {
    fault: 'a lock is held on every table',
    inject: async () => {
      const held = await holdOpen(stage.server.url, everyTable, []);
      await delay(FAULT_MS);
      await held.stop();
    },
    cause: /statements are waiting for a lock of session \d+ \(role petstore/,
  },
];

describe('under mixed load on three replicas', () => {
  it.each(TROUBLES)('$fault: 503 that the log explains, then all heals', async ({ fault, inject, cause }) => {
    await delay(CALM_MS);
    const begunAt = performance.now();
    await inject();
    const back = performance.now();
    const logs = stage.replicas.map((replica) => replica.log()).join('\n');
    await delay(CALM_MS);
    await load.stop();

    const { history } = load;
    const { lost, wrong, limits } = await stage.check();
    const refused = history.count(({ status, sentAt }) => status === 503 && sentAt >= begunAt);
    const healMs = history.healedAfter(back);
    await tell({
      fault,
      injected: 1,
      requests: history.requests,
      wrong: wrong.length + limits.exceeded.length,
      lost: lost.length + limits.uncounted,
      healMs,
      also: `slowest response ${Math.round(history.slowestMs)} ms, ${refused} got 503`,
    });
    expect(lost).toEqual([]);
    expect(wrong).toEqual([]);
    expect(limits).toMatchObject({ exceeded: [], uncounted: 0 });
    expect(refused).toBeGreaterThan(0);
    expect(logs).toMatch(cause);
    expect(healMs).toBeLessThan(HEALED_MS);
  });
});
