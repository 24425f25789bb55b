import { setTimeout as delay } from 'node:timers/promises';
import type { NestFastifyApplication } from '@nestjs/platform-fastify';
import { closeGroups } from './batching/groups.js';
import type { OpenedDatabase } from './prisma/open-database.js';
import type { HttpAdapter } from './http/server/http-adapter.js';
import type { Housekeeping } from './operations/housekeeping.js';
import type { ManagementServer } from './operations/management/management-server.js';
import type { Readiness } from './operations/management/readiness.js';
import type { StopPhase } from './operations/shutdown.js';
import type { Tracing } from './operations/tracing/tracing.js';

export interface StoppedParts {
  readonly app: NestFastifyApplication;
  readonly edge: HttpAdapter;
  readonly housekeeping: Housekeeping;
  readonly opened: OpenedDatabase;
  readonly readiness: Readiness;
  readonly management: ManagementServer;
  readonly tracing: Tracing | undefined;
  readonly flushLog: () => Promise<void>;
}

export interface StopTimes {
  readonly drainGraceMs: number;
  readonly shutdownTimeoutMs: number;
}

/**
 * How long open connections have to hear "Connection: close" with an answer. Who asks all the time has asked within
 * milliseconds; who has not asked for this long is as likely to ask now as in a minute, and would be cut off anyway.
 */
const FAREWELL_MS = 500;

/** Requests may take most of the time that a stop may take; what comes after them is short. */
const REQUESTS_PART = 0.7;

/** A run of it is a few statements of a millisecond each. */
const HOUSEKEEPING_MS = 2000;

/** Nobody waits longer than 950 ms for a statement. */
const GROUPS_MS = 2000;

/** What is left to send. A collector that is away neither holds up a stop nor makes it a failure. */
const TRACES_MS = 1000;

const MANAGEMENT_MS = 1000;
const LOG_MS = 1000;

/** The stop, from the first word to the balancer to the last line of the log. */
export function stopPhases(parts: StoppedParts, { drainGraceMs, shutdownTimeoutMs }: StopTimes): StopPhase[] {
  const { app, edge, housekeeping, opened, readiness, management, tracing, flushLog } = parts;
  return [
    {
      // The balancer sees it at its next probe, and until then everything is served as ever.
      name: 'grace',
      boundMs: drainGraceMs + 1000,
      run: () => {
        readiness.drain();
        return delay(drainGraceMs);
      },
    },
    {
      // Each answer closes its connection, so that no client sends a request into one that is being closed.
      name: 'farewell',
      boundMs: FAREWELL_MS + 1000,
      run: () => edge.drain(FAREWELL_MS),
    },
    {
      name: 'requests',
      boundMs: shutdownTimeoutMs * REQUESTS_PART,
      run: () => app.close(),
      giveUp: () => app.getHttpServer().closeAllConnections(),
    },
    { name: 'housekeeping', boundMs: HOUSEKEEPING_MS, run: () => housekeeping.stop() },
    // A request whose client has left may still wait for its statement.
    { name: 'groups', boundMs: GROUPS_MS, run: closeGroups },
    // The embedded server writes a checkpoint, which takes what it takes: the limit of the whole stop is its bound.
    { name: 'database', boundMs: shutdownTimeoutMs, run: () => opened.close() },
    {
      name: 'traces',
      boundMs: TRACES_MS + 1000,
      run: () => Promise.race([tracing?.close(), delay(TRACES_MS, undefined, { ref: false })]),
    },
    { name: 'management', boundMs: MANAGEMENT_MS, run: () => management.close() },
    { name: 'log', boundMs: LOG_MS, run: flushLog },
  ];
}
