import { setTimeout as delay } from 'node:timers/promises';
import type { OnApplicationBootstrap } from '@nestjs/common';
import type pg from 'pg';
import { classifyDatabaseError } from '../errors/database-errors.js';
import { describeError } from '../errors/describe-error.js';
import type { ConnectionPools } from './connection-pools.js';
import { queryWithoutPrisma, type Statement, statementsOf } from './statement.js';

/** The statements that requests send on the connections of a pool. */
export interface WarmPool {
  readonly pool: pg.Pool;
  readonly statements: readonly Statement[];
}

/** Connections of a pool: two kinds each of reads and writes, with two statements in flight. */
const CONNECTIONS_MAX = 8;

/** Between attempts; short, so that a newly started database is found at once. */
const RETRY_MS = 200;

/** How long the port stays closed while connections are missing. If the server has no more, fewer must suffice. */
const BEFORE_LISTEN_MAX_MS = 30_000;

/**
 * Opens the connections that requests use first, and prepares their statements there, before the port is bound: opening and planning
 * take most of a first request's time, and on a busy machine more than a request has.
 */
export class WarmUp implements OnApplicationBootstrap {
  readonly #closing = new AbortController();

  constructor(
    private readonly pools: readonly WarmPool[],
    private readonly namedStatements: boolean,
    private readonly warn: (message: string) => void,
  ) {}

  async onApplicationBootstrap(): Promise<void> {
    const endsAt = performance.now() + BEFORE_LISTEN_MAX_MS;
    let hasWarned = false;
    while (performance.now() < endsAt && !this.#closing.signal.aborted) {
      const warmed = await Promise.allSettled(this.pools.map((pool) => this.#warm(pool)));
      const failed = warmed.find((one) => one.status === 'rejected');
      if (failed === undefined) return;
      if (!hasWarned) this.warn(`the database is not ready: ${describeError(failed.reason)}`);
      hasWarned = true;
      // The database is up, and would reject requests' statements as well (a missing right, read only).
      if (isRejected(failed.reason)) return;
      await delay(RETRY_MS, undefined, { signal: this.#closing.signal }).catch(() => undefined);
    }
  }

  close(): void {
    this.#closing.abort();
  }

  async #warm({ pool, statements }: WarmPool): Promise<void> {
    const count = Math.min(CONNECTIONS_MAX, pool.options.max);
    // All at once, so that they are different ones.
    const taken = await Promise.allSettled(Array.from({ length: count }, () => pool.connect()));
    const prepared = await Promise.allSettled(
      taken.map(async (one) => {
        if (one.status === 'rejected') throw one.reason;
        await this.#prepare(one.value, statements);
      }),
    );
    for (const one of prepared) if (one.status === 'rejected') throw one.reason;
  }

  async #prepare(connection: pg.PoolClient, statements: readonly Statement[]): Promise<void> {
    const source = { queryable: connection, named: this.namedStatements };
    let rejection: unknown;
    try {
      for (const statement of statements) {
        await queryWithoutPrisma(source, statement, nulls(statement)).catch((error: unknown) => {
          if (!isRejected(error)) throw error;
          rejection ??= error;
        });
      }
      connection.release();
    } catch (error) {
      connection.release(true);
      throw error;
    }
    if (rejection !== undefined) throw rejection;
  }
}

/** Warms up every declared statement, on the connections that requests send it on. */
export function warmUpOf(
  { admission, main, namedStatements }: ConnectionPools,
  warn: (message: string) => void,
): WarmUp {
  const pools = [
    { pool: admission, statements: statementsOf('admission') },
    // Admission of low-priority lookups runs there, too.
    { pool: main, statements: [...statementsOf('admission'), ...statementsOf('main')] },
  ];
  return new WarmUp(pools, namedStatements, warn);
}

/** Values for which a statement does nothing: null for each parameter; as an array, null has no elements. */
function nulls({ text }: Statement): null[] {
  const numbers = Array.from(text.matchAll(/\$(\d+)/g), ([, number]) => Number(number));
  return Array.from({ length: Math.max(0, ...numbers) }, () => null);
}

const isRejected = (error: unknown): boolean =>
  ['statement-error', 'rejected'].includes(classifyDatabaseError(error));
