import { appendFile, readFile } from 'node:fs/promises';
import { setTimeout as delay } from 'node:timers/promises';
import { expect } from '@jest/globals';
import type { Pool } from 'pg';
import { type Replica, startReplica } from '../../support/replicas.js';
import { createTcpProxy, type TcpProxy } from '../../support/tcp-proxy.js';
import { openTestPool } from '../../support/test-pool.js';
import { checkHistory, checkLimits, type LimitFindings } from './checks.js';
import { History } from './history.js';
import { type MixedLoad, startMixedLoad } from './mixed-load.js';
import { createPetstoreDatabase, createPostgresServer, type PostgresServer } from './postgres-server.js';

/** A database server of its own, a network that fails on demand, and replicas behind it. */
export interface Deployment {
  readonly server: PostgresServer;
  readonly proxy: TcpProxy;
  readonly replicas: Replica[];
  readonly origins: readonly string[];
  /** Connects directly to the database. */
  readonly pool: Pool;
  close(): Promise<void>;
}

export interface DeploymentOptions {
  readonly replicas?: number;
  readonly settings?: Readonly<Record<string, string>>;
  /** The replicas reach the database without the proxy, which would add to measured latencies. */
  readonly isDirect?: boolean;
  /** Of each replica, by its number. */
  readonly environments?: readonly Readonly<Record<string, string>>[];
  /** Of Node.js. */
  readonly flags?: readonly string[];
}

export async function startDeployment(options: DeploymentOptions = {}): Promise<Deployment> {
  const { isDirect = false, environments = [], flags = [] } = options;
  const server = await createPostgresServer(options.settings);
  const replicas: Replica[] = [];
  const closing: (() => Promise<unknown>)[] = [() => server.remove()];
  const close = async (): Promise<void> => {
    for (const one of closing) await one();
  };
  try {
    await server.start();
    await createPetstoreDatabase(server);
    const proxy = await createTcpProxy(server.url);
    closing.unshift(() => proxy.close());
    closing.unshift(() => Promise.allSettled(replicas.map((replica) => replica.stop())));
    for (let number = 0; number < (options.replicas ?? 3); number += 1) {
      const databaseUrl = isDirect ? server.url : proxy.url;
      replicas.push(await startReplica({ databaseUrl, environment: environments[number] ?? {}, flags }));
    }
    const pool = openTestPool(server.url, { max: 2 });
    closing.unshift(() => pool.end());
    return { server, proxy, replicas, origins: replicas.map(({ origin }) => origin), pool, close };
  } catch (error) {
    await close();
    throw error;
  }
}

/** Long enough for every client to have written, and for counts to be on disk. */
const CALM_MS = 2000;
/** Two seconds; the rest is for a machine that has other things to do. */
const HEALED_MS = 3000;

export interface Outcome {
  readonly history: History;
  /** When the failure began and ended, on the clock of `performance.now`. */
  readonly beganAt: number;
  readonly endedAt: number;
  /** Milliseconds after the end of the failure until no request failed. */
  readonly healMs: number;
  readonly lost: readonly string[];
  readonly wrong: readonly string[];
  readonly limits: LimitFindings;
}

/** Where the tables are read: of the deployment, or of the server that took its place. */
type Target = Pick<Deployment, 'pool' | 'origins'>;

/** Injects a failure under mixed load, and compares the responses with the tables afterwards. */
export async function failUnderLoad(
  { pool, origins }: Target,
  inject: (load: MixedLoad) => Promise<unknown>,
  { poolAfter = pool }: { readonly poolAfter?: Pool } = {},
): Promise<Outcome> {
  const load = await startMixedLoad({ pool, origins });
  await delay(CALM_MS);
  const beganAt = performance.now();
  await inject(load);
  const endedAt = performance.now();
  await delay(CALM_MS);
  await load.stop();

  const { history, tightKeys } = load;
  const { lost, wrong } = await checkHistory(history, poolAfter);
  const limits = await checkLimits(history, poolAfter, new Set(tightKeys.map(({ id }) => id)));
  const healMs = history.healedAfter(endedAt);
  return { history, beganAt, endedAt, healMs, lost, wrong: [...history.wrong, ...wrong], limits };
}

/** A row of the table that `npm run faults` prints, and that docs/reliability.md contains. */
export interface Figures {
  readonly fault: string;
  readonly requests: number;
  readonly wrong: number;
  readonly lost: number;
  readonly healMs?: number | undefined;
  /** Other figures. */
  readonly also?: string;
}

/** Adds a row to the table, if there is one. */
export async function record(figures: Figures): Promise<void> {
  const file = process.env['FAULT_FIGURES'];
  if (file !== undefined) await appendFile(file, `${JSON.stringify(figures)}\n`);
}

interface Expectation {
  readonly also?: string;
  /** Responses without a success may go on for longer; then no time is reported. */
  readonly heals?: boolean;
  /** Counts that had not reached the disk may be missing. */
  readonly countsMayBeLost?: boolean;
}

/** Adds a row of the outcome, and expects that no row was lost, no response wrong, no limit exceeded, and that all healed. */
export async function expectUnharmed(
  fault: string,
  { history, healMs, lost, wrong, limits }: Outcome,
  { also, heals = true, countsMayBeLost = false }: Expectation = {},
): Promise<void> {
  const unavailable = history.count(({ status }) => status === 503);
  const slowest = `slowest response ${Math.round(history.slowestMs)} ms, ${unavailable} got 503`;
  await record({
    fault,
    requests: history.requests,
    wrong: wrong.length + limits.exceeded.length,
    lost: lost.length + (countsMayBeLost ? 0 : limits.uncounted),
    healMs: heals ? healMs : undefined,
    also: also === undefined ? slowest : `${slowest}, ${also}`,
  });
  expect(lost).toEqual([]);
  expect(wrong).toEqual([]);
  expect(limits.exceeded).toEqual([]);
  if (!countsMayBeLost) expect(limits.uncounted).toBe(0);
  if (heals) expect(healMs).toBeLessThan(HEALED_MS);
}

/** The memory of the processes together, as Linux reports it. */
export async function residentMb(replicas: readonly Pick<Replica, 'pid'>[]): Promise<number> {
  const each = await Promise.all(
    replicas.map(async ({ pid }) => {
      const status = await readFile(`/proc/${pid}/status`, 'utf8');
      return Number(/^VmRSS:\s+(\d+) kB$/m.exec(status)?.[1]) / 1024;
    }),
  );
  return each.reduce((sum, mb) => sum + mb, 0);
}
