import { setTimeout as delay } from 'node:timers/promises';
import type { OnApplicationBootstrap, OnApplicationShutdown } from '@nestjs/common';
import type pg from 'pg';
import { classifyDatabaseError } from '../common/errors/database-errors.js';
import { describeFault } from '../common/errors/describe-fault.js';
import type { PrismaService } from './prisma.service.js';
import { queryRows, type Statement } from './query-rows.js';
import { statementsOf } from './statement.js';

/** The statements that requests send on the connections of a pool. */
export interface WarmPool {
  readonly pool: pg.Pool;
  readonly statements: readonly Statement[];
}

export interface WarmUpOptions {
  readonly pools: readonly WarmPool[];
  readonly namedStatements: boolean;
  readonly warn: (message: string) => void;
}

/** Connections of a pool: reads and writes of two kinds with two statements of each under way. */
const CONNECTIONS_MAX = 8;

/** Between attempts, so that a database that just started is found at once. */
const RETRY_MS = 200;

/** A statement that the database rejects so often (missing right, read-only) is rejected for requests as well. */
const ATTEMPTS_OF_REJECTED_MAX = 3;

/** How long the port stays closed while the database is slow. Then requests may try. */
const BEFORE_LISTEN_MAX_MS = 10_000;

/** How long a replica stays unready because connections are missing. Where the server has no more, fewer must do. */
const BEFORE_READY_MAX_MS = 30_000;

/**
 * Opens the connections that requests use first, and prepares their statements there, before the port is bound: opening and
 * planning take most of a first request's time, and on a busy machine more than a request has. It goes on until it succeeds. While
 * nobody listens at the database's address the port is bound without it; readiness waits for it in any case.
 */
export class WarmUp implements OnApplicationBootstrap, OnApplicationShutdown {
  /**
   * Resolves when requests find warm connections, or when they have been missing for so long that requests may try. Never when the
   * application is shut down before.
   */
  readonly done: Promise<void>;
  readonly #options: WarmUpOptions;
  readonly #closing = new AbortController();
  #reportDone = (): void => undefined;
  #readyTimer: NodeJS.Timeout | undefined;

  constructor(options: WarmUpOptions) {
    this.#options = options;
    this.done = new Promise((resolve) => {
      this.#reportDone = resolve;
    });
  }

  async onApplicationBootstrap(): Promise<void> {
    const timer = new AbortController();
    this.#readyTimer = setTimeout(this.#reportDone, BEFORE_READY_MAX_MS).unref();
    const mayListen = new Promise<void>((resolve) => void this.#repeat(resolve));
    const late = delay(BEFORE_LISTEN_MAX_MS, undefined, { signal: timer.signal }).catch(() => undefined);
    await Promise.race([mayListen, late]);
    timer.abort();
  }

  /** Ends the attempts; `done` stays pending if they did not succeed. */
  onApplicationShutdown(): void {
    this.#closing.abort();
    clearTimeout(this.#readyTimer);
  }

  /** @param mayListen is called when it is done, or when nobody listens at the database's address */
  async #repeat(mayListen: () => void): Promise<void> {
    for (let attempt = 1; !this.#closing.signal.aborted; attempt += 1) {
      const error = await this.#attempt();
      if (error === undefined || (isRejected(error) && attempt >= ATTEMPTS_OF_REJECTED_MAX)) {
        this.#reportDone();
        break;
      }
      if (attempt === 1) this.#options.warn(`the database is not ready: ${describeFault(error)}`);
      if (isAway(error)) mayListen();
      await delay(RETRY_MS, undefined, { signal: this.#closing.signal, ref: false }).catch(() => undefined);
    }
    mayListen();
  }

  /** The first error, if there was one. */
  async #attempt(): Promise<unknown> {
    const warmed = await Promise.allSettled(this.#options.pools.map((pool) => this.#warm(pool)));
    return warmed.find((one) => one.status === 'rejected')?.reason;
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
    const failed = prepared.find((one) => one.status === 'rejected');
    if (failed !== undefined) throw failed.reason;
  }

  async #prepare(connection: pg.PoolClient, statements: readonly Statement[]): Promise<void> {
    const source = { queryable: connection, named: this.#options.namedStatements };
    let rejection: unknown;
    try {
      for (const statement of statements) {
        await queryRows(source, statement, withoutItems(statement)).catch((error: unknown) => {
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
export function warmUpOf({ connections }: PrismaService, warn: (message: string) => void): WarmUp {
  const { admission, main, namedStatements } = connections;
  return new WarmUp({
    pools: [
      { pool: admission, statements: statementsOf('admission') },
      // Admission of low-priority lookups runs there, too.
      { pool: main, statements: [...statementsOf('admission'), ...statementsOf('main')] },
    ],
    namedStatements,
    warn,
  });
}

/**
 * Values for which a statement of batches does nothing: an empty array for each array, and null for the others. A parameter is
 * an array where it is cast to one.
 */
function withoutItems({ text }: Statement): readonly unknown[] {
  const values: unknown[] = [];
  for (const [, number, array] of text.matchAll(/\$(\d+)(?:::\w+(\[\])?)?/g)) {
    values[Number(number) - 1] ??= array === undefined ? null : [];
  }
  return values;
}

/** The database works, and rejects this statement. */
const isRejected = (error: unknown): boolean => {
  const failure = classifyDatabaseError(error);
  return failure === 'statement-error' || failure === 'rejected';
};

/** Nobody listens there: unlike a slow database it may be away for long. */
const isAway = (error: unknown): boolean =>
  typeof error === 'object' && error !== null && Reflect.get(error, 'code') === 'ECONNREFUSED';
