import type { Pool } from 'pg';
import { type Replica, startReplica } from '../../support/replicas.js';
import { createTcpProxy, type TcpProxy } from '../../support/tcp-proxy.js';
import { openTestPool } from '../../support/test-pool.js';
import { History } from './history.js';
import { checkHistory, type Findings } from './history-checker.js';
import { checkLimits, type LimitFindings } from './limit-checker.js';
import { type MixedLoad, type MixedLoadOptions, startMixedLoad, TIGHT_PER_MINUTE } from './mixed-load.js';
import { createPetstoreDatabase, createPostgresServer, type PostgresServer } from './postgres-server.js';

/** A database server of its own, a network that fails on demand, and replicas behind it. */
export interface Stage {
  readonly server: PostgresServer;
  readonly proxy: TcpProxy;
  readonly replicas: readonly Replica[];
  readonly origins: readonly string[];
  /** Straight to the database. */
  readonly pool: Pool;
  load(options?: Omit<MixedLoadOptions, 'pool' | 'origins'>): Promise<MixedLoad>;
  /** Everything that the loads so far must not have shown, by their records and the tables. */
  check(): Promise<Findings & { readonly limits: LimitFindings }>;
  close(): Promise<void>;
}

export interface StageOptions {
  readonly replicas?: number;
  readonly settings?: Readonly<Record<string, string>>;
  /** The replicas reach the database without the proxy: where latencies are measured it would be part of them. */
  readonly isStraight?: boolean;
  /** Of each replica, by its number; the others have none of their own. */
  readonly environments?: readonly Readonly<Record<string, string>>[];
}

const REPLICAS = 3;

export async function openStage(options: StageOptions = {}): Promise<Stage> {
  const server = await createPostgresServer(options.settings);
  const closing: (() => Promise<unknown>)[] = [() => server.remove()];
  try {
    await server.start();
    await createPetstoreDatabase(server);
    const proxy = await createTcpProxy(server.url);
    closing.unshift(() => proxy.close());
    const databaseUrl = options.isStraight === true ? server.url : proxy.url;
    const replicas: Replica[] = [];
    closing.unshift(() => Promise.allSettled(replicas.map((replica) => replica.stop())));
    for (let number = 0; number < (options.replicas ?? REPLICAS); number += 1) {
      const environment = options.environments?.[number] ?? {};
      replicas.push(await startReplica({ databaseUrl, environment }));
    }
    const pool = openTestPool(server.url, { max: 2 });
    closing.unshift(() => pool.end());
    return stage(server, proxy, replicas, pool, closing);
  } catch (error) {
    await closeAll(closing);
    throw error;
  }
}

function stage(
  server: PostgresServer,
  proxy: TcpProxy,
  replicas: readonly Replica[],
  pool: Pool,
  closing: readonly (() => Promise<unknown>)[],
): Stage {
  const origins = replicas.map(({ origin }) => origin);
  const loads: MixedLoad[] = [];
  return {
    server,
    proxy,
    replicas,
    origins,
    pool,
    load: async (options) => {
      const load = await startMixedLoad({ pool, origins, ...options });
      loads.push(load);
      return load;
    },
    check: async () => {
      const all = new History(loads.flatMap(({ history }) => history.exchanges));
      const { lost, wrong } = await checkHistory(all, pool);
      const keyIds = new Set(loads.flatMap(({ tightKeys }) => tightKeys.map(({ id }) => id)));
      const limits = await checkLimits(all, pool, { keyIds, perMinute: TIGHT_PER_MINUTE });
      return { lost, wrong: [...all.wrong, ...wrong], limits };
    },
    close: () => closeAll(closing),
  };
}

async function closeAll(closing: readonly (() => Promise<unknown>)[]): Promise<void> {
  for (const close of closing) await close();
}
