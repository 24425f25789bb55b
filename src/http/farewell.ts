import type { Server } from 'node:http';
import { setTimeout as delay } from 'node:timers/promises';

/** How often it is looked whether connections are left. */
const LOOK_MS = 10;

/** Resolves when a server has no connection any more, or when the time is over. */
export async function untilConnectionsEnd(server: Server, timeoutMs: number): Promise<void> {
  const endAtMs = performance.now() + timeoutMs;
  while ((await connections(server)) > 0 && performance.now() < endAtMs) await delay(LOOK_MS);
}

const connections = (server: Server): Promise<number> =>
  new Promise((resolve) => {
    server.getConnections((error, count) => resolve(error === null ? count : 0));
  });
