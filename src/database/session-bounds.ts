import type { PoolConfig } from 'pg';
import { serverProcessId, setSessionSettings } from './session-settings.js';

/**
 * The server gives a statement up this much earlier than the service gives its connection up: 600 ms by default, a third of
 * what a request has. So writes that wait for their turn in a stall of a second still have the time to be sent.
 */
const EARLIER_MS = 350;

/** From the time-out of the server to the moment at which the service knows of it: the way back, and a busy process. */
const NOTICED_MS = 100;

/** How long a lock is awaited. Shorter than a statement may take, and than PostgreSQL waits before it looks for deadlocks (1 s). */
const LOCK_MS = 400;

/** The server's time-out for statements of a service that gives a connection up after `statementTimeoutMs`. */
export const serverTimeoutMs = (statementTimeoutMs: number): number => statementTimeoutMs - EARLIER_MS;

/** Milliseconds after its sending in which a statement that does not reach its commit is known to be rolled back. */
export const endsWithinMs = (statementTimeoutMs: number): number =>
  serverTimeoutMs(statementTimeoutMs) + NOTICED_MS;

/**
 * Seconds. A connection whose other end is gone without a word (a replica behind a parted network) is found in half a minute;
 * by default a server keeps its place, and its share of `max_connections`, for two hours.
 */
const KEEPALIVE = { idle: 15, interval: 5, count: 3 };

// A statement and no start-up parameter, which poolers refuse. What an operator has set for the role or the database holds.
const BOUND_SESSION = `
  select ${setSessionSettings('$2')},
    case when current_setting('statement_timeout') = '0' then set_config('statement_timeout', $1, false) end,
    case when current_setting('lock_timeout') = '0' then set_config('lock_timeout', '${LOCK_MS}', false) end,
    case when current_setting('tcp_keepalives_idle')::int > ${KEEPALIVE.idle} then
      set_config('tcp_keepalives_idle', '${KEEPALIVE.idle}', false)
        || set_config('tcp_keepalives_interval', '${KEEPALIVE.interval}', false)
        || set_config('tcp_keepalives_count', '${KEEPALIVE.count}', false)
    end`;

/** For a pool: gives each new connection the service's settings, and statements that the server ends by itself, before it is handed out. */
export function boundSessions(statementTimeoutMs: number): NonNullable<PoolConfig['verify']> {
  const timeoutMs = String(serverTimeoutMs(statementTimeoutMs));
  return (client, done) => {
    // Nobody else listens yet, and a connection that breaks now must not end the process.
    client.on('error', ignore);
    client.query(BOUND_SESSION, [timeoutMs, serverProcessId(client)]).then(() => {
      done();
      client.off('error', ignore);
    }, done);
  };
}

function ignore(): void {
  // The statement under way rejects with the same error.
}
