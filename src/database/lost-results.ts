import { setImmediate as turn, setTimeout as delay } from 'node:timers/promises';
import pg, { type Pool, type PoolClient } from 'pg';
import { connectionTo } from '../config/database-tls.js';
import { classifyDatabaseError } from '../errors/database-errors.js';
import { DatabaseClient } from './database-client.js';
import { serverTimeoutMs } from './session-settings.js';

/** How often connections in use are looked at. */
const LOOK_MS = 25;

/** Between two probes while commits stall, which may last for hours. */
const PROBE_EVERY_MS = 400;

/** Statements of the service are transactions of their own, and those that are older than the server's time-outs are in their commit. */
const HAS_STALLED_COMMITS = `
  select exists (
    select from pg_stat_activity
    where datname = current_database()
      and usename = session_user
      and application_name = 'petstore'
      and xact_start < clock_timestamp() - $1::int * interval '1 ms') as stalled`;

const TOO_MANY_CONNECTIONS = '53300';

/**
 * Closes connections whose result is lost: the time-outs of the server have passed, and it works on none of their statements or cannot
 * be reached. A commit that waits for a synchronous standby keeps its connection: another one in its place would soon wait, too, until
 * the server has none left, and a cancelled commit would count although no standby has it.
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
   * @param statementTimeoutMs the time of a statement, with the time to find that its result is lost
   * @param probeTimeoutMs the time of a probe to connect, and that of its query
   */
  constructor(
    private readonly url: string,
    statementTimeoutMs: number,
    private readonly probeTimeoutMs: number,
  ) {
    this.#lateMs = serverTimeoutMs(statementTimeoutMs);
    this.#timer = setInterval(() => this.#look(), LOOK_MS).unref();
  }

  watch(pool: Pool): void {
    pool.on('connect', (client) => {
      // Each of several statements that are sent one after another has its own time.
      client.on('drain', () => {
        if (this.#takenAt.has(client)) this.#takenAt.set(client, performance.now());
      });
    });
    pool.on('acquire', (client) => this.#takenAt.set(client, performance.now()));
    pool.on('release', (_error, client) => this.#takenAt.delete(client));
  }

  /** From here on no statement is waited for longer than its time, whatever the server does. */
  close(): void {
    this.#isClosing = true;
  }

  stop(): void {
    clearInterval(this.#timer);
  }

  #look(): void {
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

  /** By a connection of its own: one that is open may be lost with the others. */
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
      // A server without a free session is there.
      const { cause } = error as Error;
      return cause instanceof pg.DatabaseError && cause.code === TOO_MANY_CONNECTIONS;
    }
    try {
      const { rows } = await client.query<{ stalled: boolean }>(HAS_STALLED_COMMITS, [
        Math.round(this.#lateMs / 2),
      ]);
      return rows[0]?.stalled ?? true;
    } catch (error) {
      // An error of the connection is that of a pooler whose server is away. After any other failure nothing is known, for example
      // where all sessions of a pooler are in use.
      return !(error instanceof pg.DatabaseError && classifyDatabaseError(error) === 'broken');
    } finally {
      client.end().catch(() => undefined);
    }
  }
}

/**
 * Resolves when the results have been read that the server sent before its response to the probe, which had a connection of its own: commits
 * that stalled end together, as a rule.
 */
async function unreadResults(): Promise<void> {
  await delay(LOOK_MS);
  // After a pause of the process its timers run first, then it reads.
  await turn();
}
