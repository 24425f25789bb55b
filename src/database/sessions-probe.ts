import pg from 'pg';
import { serverProcessId } from './session-settings.js';

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
