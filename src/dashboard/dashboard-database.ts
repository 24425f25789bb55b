import type { Client, QueryResultRow } from 'pg';
import { connectionTo } from '../config/database-tls.js';
import { columnTypes } from '../database/connection-pools.js';
import { beginTransaction, closeSession, openSession, rollBack } from '../database/session-settings.js';

/** The server ends a statement after this. */
const STATEMENT_TIMEOUT_MS = 2000;
const CONNECT_TIMEOUT_MS = 2000;

/** How long the connection stays open when no page is. */
const IDLE_MS = 60_000;

export type Query = <Row extends QueryResultRow>(text: string, values?: readonly unknown[]) => Promise<Row[]>;

/** The one connection of the dashboard, apart from those of requests. It only reads, one statement at a time. */
export class DashboardDatabase {
  #client: Client | undefined;
  #last: Promise<unknown> = Promise.resolve();
  #closing: NodeJS.Timeout | undefined;

  constructor(private readonly url: string) {}

  /** Runs statements in a transaction of their own, all on one state of the database, when it is their turn. */
  read<Result>(work: (query: Query) => Promise<Result>): Promise<Result> {
    const result = this.#last.then(() => this.#read(work));
    this.#last = result.catch(() => undefined);
    return result;
  }

  async close(): Promise<void> {
    clearTimeout(this.#closing);
    await this.#last;
    await this.#drop();
  }

  async #read<Result>(work: (query: Query) => Promise<Result>): Promise<Result> {
    clearTimeout(this.#closing);
    try {
      const client = (this.#client ??= await this.#open());
      await beginTransaction(client, STATEMENT_TIMEOUT_MS, STATEMENT_TIMEOUT_MS, BEGIN);
      const result = await work(
        async <Row extends QueryResultRow>(text: string, values: readonly unknown[] = []) => {
          const { rows } = await client.query<Row>(text, [...values]);
          return rows;
        },
      );
      await rollBack(client);
      return result;
    } catch (error) {
      await this.#drop();
      throw error;
    } finally {
      this.#closing = setTimeout(() => void this.close(), IDLE_MS).unref();
    }
  }

  #open(): Promise<Client> {
    const config = {
      ...connectionTo(this.url),
      application_name: 'petstore dashboard',
      connectionTimeoutMillis: CONNECT_TIMEOUT_MS,
      types: columnTypes,
    };
    return openSession(config, STATEMENT_TIMEOUT_MS);
  }

  async #drop(): Promise<void> {
    const client = this.#client;
    this.#client = undefined;
    if (client !== undefined) await closeSession(client);
  }
}

const BEGIN = 'begin isolation level repeatable read read only';
