import type { PoolConfig } from 'pg';
import { serverProcessId, setSessionSettings } from './session-settings.js';

/**
 * The server gives a statement up this much earlier than the service does. It then answers that it did, and
 * nothing is left behind that would run, count and lock when nobody waits for it any more.
 */
export const EARLIER_MS = 100;

/**
 * How long a lock is awaited. With the 400 ms that a write waits for its turn it is less than a group's 950: what waited for an
 * operator's lock is rolled back before those who asked are told that there is no answer.
 */
const LOCK_MS = 400;

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
  const timeoutMs = String(statementTimeoutMs - EARLIER_MS);
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
