import pg from 'pg';
import {
  BrokenConnectionError,
  isDataError,
  NotSentError,
  StatementError,
} from '../errors/database-errors.js';

/** One of the ways in which the driver's `query` is called. */
type Call = [query: pg.QueryConfig, values?: unknown[]];

/**
 * A connection whose errors say what became of a statement: `NotSentError`, `BrokenConnectionError`, or the server's own. Its `error` event
 * needs no listener: the statement under way rejects with the same error.
 */
export class DatabaseClient extends pg.Client {
  /** Nothing can be sent any more. */
  #isOver = false;

  constructor(config?: pg.ClientConfig) {
    super(config);
    this.on('error', () => {
      this.#isOver = true;
    });
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

  /** Returns `never`, so that the overloads of the driver stay as they are. */
  override query(...call: unknown[]): never {
    const isOver = this.#isOver;
    const result: unknown = super.query(...(call as Call));
    if (!(result instanceof Promise)) return result as never;
    return result.catch((error: unknown) => {
      if (error instanceof pg.DatabaseError) throw error;
      if (isOver) throw new NotSentError(error);
      // A value that cannot be written, or a connection that broke or took too long.
      throw error instanceof TypeError ? error : new BrokenConnectionError(error);
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

/** A pool with the types of the driver. */
export interface SendingPool extends pg.Pool {
  sendBefore: DatabasePool['sendBefore'];
}

/**
 * A pool of such connections. A connection stays open after an error about values, and a statement can be sent by a moment or not at all.
 * The server's errors are `StatementError`s, which Prisma passes on.
 */
export class DatabasePool extends pg.Pool {
  readonly #reservations = new Set<Reservation>();

  constructor(config: pg.PoolConfig) {
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
    let lost: Error | undefined;
    try {
      return await connection.query(...(call as Call));
    } catch (error) {
      if (!isDataError(error)) lost = error as Error;
      throw error instanceof pg.DatabaseError ? new StatementError(error) : error;
    } finally {
      connection.release(lost);
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
