import { once } from 'node:events';
import pg from 'pg';
import {
  BrokenConnectionError,
  isUsableAfter,
  NotSentError,
  StatementError,
} from '../errors/database-errors.js';

/** One of the ways in which the driver's `query` is called. */
type Call = [query: pg.QueryConfig, values?: unknown[]];

/** An option of a statement that the types of the driver lack. */
interface QueryTimeout {
  readonly query_timeout?: number;
}

/**
 * A connection whose errors say what became of a statement: `NotSentError`, `BrokenConnectionError`, or the server's own. Its `error` event
 * needs no listener: the statement under way rejects with the same error.
 */
export class DatabaseClient extends pg.Client {
  /** Nothing can be sent any more. */
  #isOver = false;
  /** The server has finished all that was sent. */
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

  /** Resolves when the server has finished all that was sent, or the connection is over. */
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

  /** Without callbacks. Returns `never`, so that the overloads of the driver stay as they are. */
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
      // Timers may be a millisecond early. Anything else is an error of the program.
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

/** A statement that Prisma is about to send, and the connection that was taken for it. */
interface Reservation {
  readonly text: string;
  readonly sendBefore: number;
  readonly connection: pg.PoolClient;
}

/** `DatabasePool` with the types of the driver for what it overrides. */
export interface SendingPool extends pg.Pool {
  sendBefore: DatabasePool['sendBefore'];
}

/**
 * A pool of such connections. A connection stays open where only its statement failed, and a statement can be sent by a moment or not at all.
 * The server's errors are `StatementError`s, which Prisma passes on.
 */
export class DatabasePool extends pg.Pool {
  readonly #reservations = new Set<Reservation>();

  /** @param onFailure gets the error of each statement that fails */
  constructor(
    config: pg.PoolConfig,
    private readonly onFailure?: (error: unknown) => void,
  ) {
    super({ Client: DatabaseClient, ...config });
  }

  /**
   * Sends a statement that Prisma passes to this pool.
   *
   * @param text that of the statement
   * @param sendBefore a moment of `performance.now()`
   * @throws NotSentError if the statement could not be sent by then
   */
  async sendBefore<Result>(text: string, sendBefore: number, send: () => Promise<Result>): Promise<Result> {
    if (performance.now() > sendBefore) throw tooLate();
    const reservation = { text, sendBefore, connection: await this.#take() };
    this.#reservations.add(reservation);
    try {
      return await send();
    } finally {
      if (this.#reservations.delete(reservation)) reservation.connection.release();
    }
  }

  /** Without a callback, like `query`. */
  override connect(): never {
    return super.connect().catch((error: unknown) => {
      throw error instanceof NotSentError ? error : new NotSentError(error);
    }) as never;
  }

  override query(...call: unknown[]): never {
    return this.#query(call) as never;
  }

  async #query(call: unknown[]): Promise<unknown> {
    const connection = this.#reservedFor(call[0]) ?? (await this.#take());
    try {
      const result = await connection.query(...(call as Call));
      connection.release();
      return result;
    } catch (error) {
      // Given back at once, the next statement would wait there for the server, past its time.
      if (isUsableAfter(error) && connection instanceof DatabaseClient)
        void connection.idle().then(() => connection.release());
      else connection.release(error as Error);
      this.onFailure?.(error);
      throw error instanceof pg.DatabaseError ? new StatementError(error) : error;
    }
  }

  #take(): Promise<pg.PoolClient> {
    return this.connect();
  }

  #reservedFor(query: unknown): pg.PoolClient | undefined {
    if (this.#reservations.size === 0) return undefined;
    const { text } = query as { readonly text?: string };
    for (const reservation of this.#reservations) {
      if (reservation.text !== text) continue;
      this.#reservations.delete(reservation);
      if (performance.now() <= reservation.sendBefore) return reservation.connection;
      reservation.connection.release();
      throw tooLate();
    }
    return undefined;
  }
}

const tooLate = (): NotSentError => new NotSentError('no connection was available in time');
