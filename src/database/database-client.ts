import { AsyncLocalStorage } from 'node:async_hooks';
import { once } from 'node:events';
import pg from 'pg';
import {
  BrokenConnectionError,
  isUsableAfter,
  NotSentError,
  StatementError,
} from '../errors/database-errors.js';

/** One of the overloads of the driver's `query`. */
type Call = [query: pg.QueryConfig, values?: unknown[]];

/** A statement option missing from the driver's types. */
interface QueryTimeout {
  readonly query_timeout?: number;
}

/**
 * A connection whose errors tell a statement's outcome: `NotSentError`, `BrokenConnectionError`, or the server's own. Its `error` event
 * needs no listener: the statement in flight rejects with the same error.
 */
export class DatabaseClient extends pg.Client {
  /** Nothing more can be sent. */
  #isOver = false;
  /** The server has finished all work sent. */
  #isIdle = true;
  readonly #queryTimeoutMs: number;

  constructor(config?: pg.ClientConfig) {
    super(config);
    this.#queryTimeoutMs = config?.query_timeout ?? Infinity;
    this.on('error', () => {
      this.#isOver = true;
    });
    this.on('drain', () => {
      this.#isIdle = true;
    });
  }

  /** Resolves when the server has finished all that was sent, or the connection ended. */
  async idle(): Promise<void> {
    if (this.#isIdle || this.#isOver) return;
    const ended = new AbortController();
    const first = ['drain', 'end'].map((event) => once(this, event, { signal: ended.signal }));
    // The `error` of a connection that breaks meanwhile rejects both.
    await Promise.race(first).catch(() => undefined);
    ended.abort();
    await Promise.allSettled(first);
  }

  override connect(): Promise<pg.Client>;
  override connect(callback: (error: Error) => void): void;
  override connect(callback?: (error: Error) => void): Promise<pg.Client> | void {
    if (callback === undefined) {
      return super.connect().catch((error: unknown) => {
        throw new NotSentError(error);
      });
    }
    super.connect((error?: Error) => {
      (callback as (fault?: Error) => void)(error && new NotSentError(error));
    });
  }

  /** No callbacks. Returns `never`, which is compatible with all overloads of the driver. */
  override query(...call: unknown[]): never {
    const isOver = this.#isOver;
    const beganAt = performance.now();
    this.#isIdle = false;
    const result: unknown = super.query(...(call as Call));
    if (!(result instanceof Promise)) return result as never;
    return result.catch((error: unknown) => {
      if (error instanceof pg.DatabaseError) throw error;
      if (isOver) throw new NotSentError(error);
      const { query_timeout: timeoutMs = this.#queryTimeoutMs } = Object(call[0]) as QueryTimeout;
      // Timers may be a millisecond early. Anything else is a bug in the program.
      const isLate = performance.now() - beganAt >= timeoutMs - 1;
      throw this.#isOver || isLate ? new BrokenConnectionError(error) : error;
    }) as never;
  }

  override end(): Promise<void>;
  override end(callback: (error: Error) => void): void;
  override end(callback?: (error: Error) => void): Promise<void> | void {
    this.#isOver = true;
    return callback === undefined ? super.end() : super.end(callback);
  }
}

/** The `performance.now()` time by which code that runs inside must send its statements. Prisma passes no per-call options to its adapter. */
const lastMoment = new AsyncLocalStorage<number>();

/** `DatabasePool` with the driver's types for its overrides. */
export interface SendingPool extends pg.Pool {
  sendBefore: DatabasePool['sendBefore'];
}

/**
 * A pool of such connections. A connection stays open if only its statement failed, and a statement can have a deadline for being sent.
 * The server's errors are `StatementError`s, which Prisma passes on.
 */
export class DatabasePool extends pg.Pool {
  /** @param onFailure gets the error of each statement that fails */
  constructor(
    config: pg.PoolConfig,
    private readonly onFailure?: (error: unknown) => void,
  ) {
    super({ Client: DatabaseClient, ...config });
  }

  /**
   * Runs a function whose statements must be sent before a deadline, by this pool or Prisma.
   *
   * @param moment in `performance.now()` ms
   * @throws NotSentError if the statement could not be sent by then
   */
  sendBefore<Result>(moment: number, send: () => Promise<Result>): Promise<Result> {
    // Prisma begins when its promise is awaited.
    return lastMoment.run(moment, async () => await send());
  }

  /** Without a callback, like `query`. */
  override connect(): never {
    return super.connect().catch((error: unknown) => {
      throw error instanceof NotSentError ? error : new NotSentError(error);
    }) as never;
  }

  override query(...call: unknown[]): never {
    return this.#query(call as Call) as never;
  }

  async #query(call: Call): Promise<unknown> {
    const moment = lastMoment.getStore() ?? Infinity;
    const connecting: Promise<pg.PoolClient> = this.connect();
    const connection = await connecting;
    if (performance.now() > moment) {
      connection.release();
      throw new NotSentError('no connection was available in time');
    }
    try {
      const result: unknown = await connection.query(...call);
      connection.release();
      return result;
    } catch (error) {
      // If released now, the next statement would wait there for the server, past its deadline.
      if (isUsableAfter(error) && connection instanceof DatabaseClient)
        void connection.idle().then(() => connection.release());
      else connection.release(error as Error);
      lastMoment.exit(() => this.onFailure?.(error));
      throw error instanceof pg.DatabaseError ? new StatementError(error) : error;
    }
  }
}
