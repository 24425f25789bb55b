import { setImmediate as turn, setTimeout as delay } from 'node:timers/promises';
import pg, { type Pool, type PoolClient } from 'pg';
import { connectionTo } from '../config/database-tls.js';
import { classifyDatabaseError } from '../errors/database-errors.js';
import { DatabaseClient } from './database-client.js';
import { serverTimeoutMs } from './session-settings.js';

/** How often connections in use are checked. */
const POLL_MS = 25;

/** Between two probes while commits stall, which may last for hours. */
const PROBE_EVERY_MS = 400;

/** Each statement of the service is its own transaction; anything older than the server's time-outs must be committing. */
const HAS_STALLED_COMMITS = `
  select exists (
    select from pg_stat_activity
    where datname = current_database()
      and usename = session_user
      and application_name = 'petstore'
      and xact_start < clock_timestamp() - $1::int * interval '1 ms') as stalled`;

const TOO_MANY_CONNECTIONS = '53300';

/**
 * Closes connections whose result is lost: the server's time-outs have passed, and it is running none of their statements or cannot
 * be reached. A commit that waits for a synchronous standby keeps its connection: its replacement would soon wait, too, until
 * the server has none left, and a cancelled commit is visible although no standby has it.
 */
export class LostResults {
  readonly #lateMs: number;
  readonly #timer: NodeJS.Timeout;
  /** Connections in use, and when each was taken or had its last result. */
  readonly #takenAt = new Map<PoolClient, number>();
  #isProbing = false;
  #probeAt = 0;
  #isClosing = false;

  /**
   * @param statementTimeoutMs the statement time-out, including the time to detect a lost result
   * @param probeTimeoutMs time-out of a probe's connect, and of its query
   */
  constructor(
    private readonly url: string,
    statementTimeoutMs: number,
    private readonly probeTimeoutMs: number,
  ) {
    this.#lateMs = serverTimeoutMs(statementTimeoutMs);
    this.#timer = setInterval(() => this.#poll(), POLL_MS).unref();
  }

  watch(pool: Pool): void {
    pool.on('connect', (client) => {
      // Each of several successive statements has its own time-out.
      client.on('drain', () => {
        if (this.#takenAt.has(client)) this.#takenAt.set(client, performance.now());
      });
    });
    pool.on('acquire', (client) => this.#takenAt.set(client, performance.now()));
    pool.on('release', (_error, client) => this.#takenAt.delete(client));
  }

  /** From now on, give up every statement after its time-out, whatever the server does. */
  close(): void {
    this.#isClosing = true;
  }

  stop(): void {
    clearInterval(this.#timer);
  }

  #poll(): void {
    const now = performance.now();
    const late = [...this.#takenAt].filter(([, takenAt]) => takenAt < now - this.#lateMs);
    if (late.length === 0 || this.#isProbing || (now < this.#probeAt && !this.#isClosing)) return;
    this.#isProbing = true;
    void this.#hasStalledCommits().then(async (isStalled) => {
      if (!isStalled) await unreadResults();
      this.#isProbing = false;
      this.#probeAt = performance.now() + PROBE_EVERY_MS;
      if (isStalled && !this.#isClosing) return;
      // Its statement rejects, and the pool removes the connection.
      for (const [client, takenAt] of late) {
        if (this.#takenAt.get(client) === takenAt) client.end().catch(() => undefined);
      }
    });
  }

  /** On its own connection: an open one may be lost like the others. */
  async #hasStalledCommits(): Promise<boolean> {
    const client: pg.Client = new DatabaseClient({
      ...connectionTo(this.url),
      application_name: 'petstore',
      connectionTimeoutMillis: this.probeTimeoutMs,
      query_timeout: this.probeTimeoutMs,
    });
    try {
      await client.connect();
    } catch (error) {
      // The server is up, but has no free session.
      const { cause } = error as Error;
      return cause instanceof pg.DatabaseError && cause.code === TOO_MANY_CONNECTIONS;
    }
    try {
      const { rows } = await client.query<{ stalled: boolean }>(HAS_STALLED_COMMITS, [
        Math.round(this.#lateMs / 2),
      ]);
      return rows[0]?.stalled ?? true;
    } catch (error) {
      // A connection error comes from a pooler whose server is down. Any other failure is inconclusive, for example
      // if all sessions of a pooler are in use.
      return !(error instanceof pg.DatabaseError && classifyDatabaseError(error) === 'broken');
    } finally {
      client.end().catch(() => undefined);
    }
  }
}

/**
 * Waits until results are read that the server sent before its response to the probe, on another connection: stalled commits
 * usually end together.
 */
async function unreadResults(): Promise<void> {
  await delay(POLL_MS);
  // After a process stall, timers run first, then reads.
  await turn();
}
