import type { Client, QueryResultRow } from 'pg';
import { connectionTo } from '../../config/database-tls.js';
import { columnTypes } from '../../database/connection-pools.js';
import { beginTransaction, closeSession, openSession, rollBack } from '../../database/session-settings.js';

/** The server ends a statement after this. */
const STATEMENT_TIMEOUT_MS = 2000;
const CONNECT_TIMEOUT_MS = 2000;

/** How long the connection stays open when no page is. */
const IDLE_MS = 60_000;

/** The most queued reads: a few open pages with all of their views. */
const WAITING_MAX = 20;

const BEGIN = 'begin isolation level repeatable read read only';

export type Query = <Row extends QueryResultRow>(text: string, values?: readonly unknown[]) => Promise<Row[]>;

/** The one connection of the dashboard, apart from those of requests. It only reads, one statement at a time. */
export class DashboardDatabase {
  #client: Client | undefined;
  #last: Promise<unknown> = Promise.resolve();
  #waiting = 0;
  #isClosed = false;
  #idle: NodeJS.Timeout | undefined;

  constructor(private readonly url: string) {}

  /** Queues the work and runs it in its own transaction, in which all statements see one snapshot. */
  async read<Result>(work: (query: Query) => Promise<Result>): Promise<Result> {
    if (this.#waiting >= WAITING_MAX)
      throw new Error('too many reads are queued; try again in a few seconds');
    this.#waiting += 1;
    try {
      return await this.#inTurn(() => this.#read(work));
    } finally {
      this.#waiting -= 1;
    }
  }

  /** Reads in progress fail. */
  async close(): Promise<void> {
    this.#isClosed = true;
    clearTimeout(this.#idle);
    await this.#drop();
  }

  #inTurn<Result>(work: () => Promise<Result>): Promise<Result> {
    const result = this.#last.then(work);
    this.#last = result.catch(() => undefined);
    return result;
  }

  async #read<Result>(work: (query: Query) => Promise<Result>): Promise<Result> {
    if (this.#isClosed) throw new Error('the service is stopping');
    clearTimeout(this.#idle);
    try {
      const client = this.#client ?? (await this.#open());
      await beginTransaction(client, STATEMENT_TIMEOUT_MS, STATEMENT_TIMEOUT_MS, BEGIN);
      const result = await work(
        async <Row extends QueryResultRow>(text: string, values: readonly unknown[] = []) =>
          (await client.query<Row>(text, [...values])).rows,
      );
      await rollBack(client);
      return result;
    } catch (error) {
      await this.#drop();
      throw error;
    } finally {
      // It may have been opened meanwhile.
      if (this.#isClosed) await this.#drop();
      else this.#idle = setTimeout(() => void this.#inTurn(() => this.#drop()), IDLE_MS).unref();
    }
  }

  async #open(): Promise<Client> {
    const config = {
      ...connectionTo(this.url),
      application_name: 'petstore dashboard',
      connectionTimeoutMillis: CONNECT_TIMEOUT_MS,
      types: columnTypes,
    };
    const client = await openSession(config, STATEMENT_TIMEOUT_MS);
    // Also while it is idle: the server may have restarted.
    client.once('end', () => {
      if (this.#client === client) this.#client = undefined;
    });
    this.#client = client;
    return client;
  }

  async #drop(): Promise<void> {
    const client = this.#client;
    this.#client = undefined;
    if (client !== undefined) await closeSession(client);
  }
}
