import pg, { type Pool, type PoolClient } from 'pg';
import { serverProcessId } from './session-settings.js';

/** The connections of some pools that are in use, and when each was taken or had its last result. */
export class TakenConnections {
  readonly #takenAt = new Map<PoolClient, number>();

  watch(pool: Pool): void {
    pool.on('connect', (client) => {
      // Whoever took it may have more to send: each statement has its own time.
      client.on('drain', () => {
        if (this.#takenAt.has(client)) this.#takenAt.set(client, performance.now());
      });
    });
    pool.on('acquire', (client) => this.#takenAt.set(client, performance.now()));
    pool.on('release', (_error, client) => this.#takenAt.delete(client));
  }

  /** Those without a result since a moment of `performance.now()`. */
  before(moment: number): PoolClient[] {
    const found: PoolClient[] = [];
    for (const [client, takenAt] of this.#takenAt) if (takenAt < moment) found.push(client);
    return found;
  }

  isTakenBefore(client: PoolClient, moment: number): boolean {
    return (this.#takenAt.get(client) ?? Infinity) < moment;
  }
}

/** What the server's list of sessions says about connections of this process. */
export interface SessionsReport {
  /** Whether the server may still work on what was sent on this connection. */
  worksFor(client: pg.ClientBase): boolean;
}

/** Asks the server which sessions are at work. */
export interface SessionsProbe {
  /**
   * Never rejects. Undefined: the server could not be reached in this time, which is shorter than what those that it is asked
   * about have been under way for.
   */
  run(timeoutMs: number): Promise<SessionsReport | undefined>;
}

/**
 * Sessions of this role in the same transaction for some time. Transactions of the service are single statements, so this is not
 * one that has taken the process identifier of an ended one. A role sees all of its own sessions.
 */
const WORKING = `
  select
    pg_backend_pid() as own_pid,
    array(
      select pid
      from pg_stat_activity
      where datname = current_database()
        and usename = session_user
        and xact_start < clock_timestamp() - $1::int * interval '1 ms') as pids`;

interface Working {
  readonly own_pid: number;
  readonly pids: readonly number[];
}

const TOO_MANY_CONNECTIONS = '53300';

/** Nothing is known: whatever is under way may still be. */
const UNKNOWN: SessionsReport = { worksFor: () => true };

/** A probe that opens a connection each time: one that is open may be lost with the others. */
export function createSessionsProbe(url: string): SessionsProbe {
  return {
    run: async (timeoutMs) => {
      const client = new pg.Client({
        connectionString: url,
        application_name: 'petstore',
        connectionTimeoutMillis: timeoutMs,
      });
      client.on('error', ignore);
      // For the connection and the statement together: it is a second session until it ends.
      let isConnected = false;
      const timer = setTimeout(() => void client.end().catch(ignore), timeoutMs);
      try {
        await client.connect();
        isConnected = true;
        const { rows } = await client.query<Working>(WORKING, [Math.round(timeoutMs / 2)]);
        return reportOf(client, rows[0]);
      } catch (error) {
        // A server that has no session left, and a pooler whose sessions are all in use, are there.
        return isConnected || isFull(error) ? UNKNOWN : undefined;
      } finally {
        clearTimeout(timer);
        client.end().catch(ignore);
      }
    },
  };
}

/**
 * Behind a pooler the process that a client was told of is none of the server's, and any session may carry its statement: as
 * long as one of them is at work, none is given up.
 */
function reportOf(probe: pg.Client, working: Working | undefined): SessionsReport {
  if (working === undefined) return UNKNOWN;
  const pids = new Set(working.pids);
  const isDirect = serverProcessId(probe) === working.own_pid;
  return { worksFor: (client) => (isDirect ? pids.has(serverProcessId(client)) : pids.size > 0) };
}

const isFull = (error: unknown): boolean =>
  error instanceof pg.DatabaseError && error.code === TOO_MANY_CONNECTIONS;

function ignore(): void {
  // It fails the probe, or it is over.
}

/** How often connections in use are looked at. */
const LOOK_MS = 25;

/** The pause between two probes while a statement is late: a stall may last for hours. */
const PROBE_EVERY_MS = 400;

export interface LostResultsOptions {
  readonly taken: TakenConnections;
  readonly probe: SessionsProbe;
  /** Milliseconds after which a connection is ended, unless the server is known to work on its statement. */
  readonly timeoutMs: number;
}

interface Probed {
  readonly startedAt: number;
  /** Undefined: the server could not be asked. */
  readonly sessions: SessionsReport | undefined;
}

/**
 * Ends connections whose result will never arrive, and no others. A statement that its server's time-outs did not end is in its
 * commit, which may last for as long as a synchronous standby is away. Another connection in its place would soon be in the same
 * state, until the server has none left; and to cancel it would have PostgreSQL report a commit that no standby has. So the
 * connection is kept while the server works on its statement, and a probe on a connection of its own finds out whether it does.
 */
export class LostResults {
  readonly #options: LostResultsOptions;
  readonly #timer: NodeJS.Timeout;
  #probed: Probed | undefined;
  #isProbing = false;
  #probeAt = 0;
  #isClosing = false;

  constructor(options: LostResultsOptions) {
    this.#options = options;
    this.#timer = setInterval(() => this.#look(), LOOK_MS).unref();
  }

  /** From here on no statement is waited for longer than the time-out, whatever the server does. */
  close(): void {
    this.#isClosing = true;
    this.#timer.ref();
  }

  stop(): void {
    clearInterval(this.#timer);
  }

  #look(): void {
    const { taken, timeoutMs } = this.#options;
    const now = performance.now();
    // Half of the time is left for the probe: a connection that is lost is ended as soon as its time is over.
    const late = taken.before(now - timeoutMs / 2);
    if (late.length === 0) {
      this.#probed = undefined;
      return;
    }
    if (!this.#isClosing && !this.#isProbing && now >= this.#probeAt) void this.#probe(now);
    for (const client of taken.before(now - timeoutMs)) {
      if (this.#isClosing || this.#isLost(client, timeoutMs)) this.#end(client);
    }
  }

  async #probe(startedAt: number): Promise<void> {
    const { probe, timeoutMs } = this.#options;
    this.#isProbing = true;
    const sessions = await probe.run(timeoutMs / 2);
    this.#isProbing = false;
    this.#probed = { startedAt, sessions };
    this.#probeAt = sessions === undefined ? 0 : performance.now() + PROBE_EVERY_MS;
    this.#look();
  }

  /** By the newest probe: of one that reached the server, only if the statement had been late when it began. */
  #isLost(client: PoolClient, timeoutMs: number): boolean {
    if (this.#probed === undefined) return false;
    const { startedAt, sessions } = this.#probed;
    if (sessions === undefined) return true;
    const { taken } = this.#options;
    return taken.isTakenBefore(client, startedAt - timeoutMs / 2) && !sessions.worksFor(client);
  }

  #end(client: PoolClient): void {
    // Its statement rejects, and whoever took the connection gives it back as broken.
    client.end().catch(() => undefined);
  }
}
