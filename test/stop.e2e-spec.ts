import { once } from 'node:events';
import { Agent, request } from 'node:http';
import { connect } from 'node:net';
import { setTimeout as delay } from 'node:timers/promises';
import { afterEach, describe, expect, it, jest } from '@jest/globals';
import { Batching } from '../src/batching/batching.js';
import { Database } from '../src/database/database.js';
import { eventually } from './support/eventually.js';
import { type RunningService, runService } from './support/running-service.js';
import { startService } from './support/service.js';

const CLIENTS = 8;

const services: RunningService[] = [];
const run = async (environment: Record<string, string>): Promise<RunningService> => {
  const service = await runService({ LOG_REQUESTS: 'off', ...environment });
  services.push(service);
  return service;
};
afterEach(() => Promise.all(services.splice(0).map((service) => service.close())));

/** The outcomes of a keep-alive client, which sends a request as soon as it has a response, until the port is closed. */
interface Outcomes {
  responses: number;
  /** A request that was sent into an open connection and got no whole response. */
  readonly lost: string[];
  readonly statuses: Set<number>;
}

/**
 * A connection that is idle for longer may be closed while a request is on its way (RFC 9112, section 9.3.1): a busy machine may keep
 * a client from sending for as long.
 */
const IDLE_MAX_MS = 250;

/** Sends over one connection for as long as the service keeps it open, then over the next one. */
async function sendAgainAndAgain(service: RunningService, outcomes: Outcomes): Promise<void> {
  const agent = new Agent({ keepAlive: true, maxSockets: 1 });
  for (let idleSinceMs = performance.now(); ;) {
    const idleMs = performance.now() - idleSinceMs;
    const outcome = await sendOnce(service, agent);
    idleSinceMs = performance.now();
    if (outcome === 'closed') break;
    if (typeof outcome === 'string' && idleMs > IDLE_MAX_MS) break;
    if (typeof outcome === 'string') {
      outcomes.lost.push(outcome);
      break;
    }
    outcomes.responses += 1;
    outcomes.statuses.add(outcome);
  }
  agent.destroy();
}

/** The status, or what happened instead; `closed` if the port is. */
function sendOnce(service: RunningService, agent: Agent): Promise<number | string> {
  return new Promise((resolve) => {
    const headers = { authorization: `Bearer ${service.key}` };
    request(`${service.origin}/v1/pets?limit=1`, { agent, headers })
      .on('response', (response) => {
        response.resume();
        response.on('end', () => resolve(response.statusCode ?? 0));
        response.on('error', (error) => resolve(`broke off: ${error.message}`));
      })
      .on('error', (error: NodeJS.ErrnoException) => {
        resolve(error.code === 'ECONNREFUSED' ? 'closed' : `lost: ${error.code ?? ''} ${error.message}`);
      })
      .end();
  });
}

const readyStatus = async ({ management }: RunningService): Promise<number> =>
  (await fetch(`${management}/health/ready`)).status;

describe('SIGTERM', () => {
  it.each(['0', '500'])('loses no request under constant keep-alive load (grace of %s ms)', async (grace) => {
    const service = await run({ DRAIN_GRACE_MS: grace });
    const outcomes: Outcomes = { responses: 0, lost: [], statuses: new Set() };
    const clients = Array.from({ length: CLIENTS }, () => sendAgainAndAgain(service, outcomes));
    await eventually(() => expect(outcomes.responses).toBeGreaterThan(200));
    service.program.child.kill('SIGTERM');
    await Promise.all(clients);
    expect({ lost: outcomes.lost, statuses: [...outcomes.statuses] }).toEqual({ lost: [], statuses: [200] });
    expect(await service.program.ended).toBe(0);
  });

  it('is reported by readiness and metrics before the port is closed, and requests are served until then', async () => {
    const service = await run({ DRAIN_GRACE_MS: '60000' });
    service.program.child.kill('SIGTERM');
    await eventually(async () => expect(await readyStatus(service)).toBe(503));
    const response = await fetch(`${service.origin}/v1/pets`, {
      headers: { authorization: `Bearer ${service.key}` },
    });
    expect(response.status).toBe(200);
    expect(response.headers.get('connection')).toBe('keep-alive');
    const ready = await fetch(`${service.management}/health/ready`);
    expect(await ready.json()).toMatchObject({ checks: { draining: true, database: 'ok' } });
    const metrics = await (await fetch(`${service.management}/metrics`)).text();
    expect(metrics).toMatch(/^petstore_draining 1$/m);
    expect(metrics).toMatch(/^petstore_ready 0$/m);
    expect((await fetch(`${service.management}/health/live`)).status).toBe(200);
    service.program.child.kill('SIGKILL');
    await service.program.ended;
  });

  it('exits with 1 when it takes too long, and says so', async () => {
    const service = await run({ SHUTDOWN_TIMEOUT_MS: '2000' });
    // A request that has begun and never arrives whole.
    const socket = connect(service.port, '127.0.0.1');
    socket.on('error', () => undefined);
    await once(socket, 'connect');
    socket.write('POST /v1/pets HTTP/1.1\r\nHost: a\r\nContent-Type: application/json\r\n');
    socket.write(`Authorization: Bearer ${service.key}\r\nContent-Length: 10\r\n\r\n{`);
    await eventually(async () => {
      const metrics = await (await fetch(`${service.management}/metrics`)).text();
      expect(metrics).toMatch(/^petstore_http_requests_in_flight 1$/m);
    });
    service.program.child.kill('SIGTERM');
    expect(await service.program.ended).toBe(1);
    expect(service.program.output.stderr).toContain('shutdown took longer than 2000 ms');
    socket.destroy();
  });

  it('exits at once on a second signal, but not if both came together', async () => {
    const service = await run({ DRAIN_GRACE_MS: '60000' });
    service.program.child.kill('SIGTERM');
    service.program.child.kill('SIGINT');
    await eventually(async () => expect(await readyStatus(service)).toBe(503));
    // Past the half second in which a second signal belongs to the first.
    await delay(600);
    expect(service.program.child.exitCode).toBe(null);
    service.program.child.kill('SIGTERM');
    expect(await service.program.ended).toBe(1);
    expect(service.program.output.stderr).toContain('received SIGTERM again; exiting at once');
  });
});

describe('app.close()', () => {
  it('settles the items of batches before the connections of the database are closed', async () => {
    const closings = [Batching, Database].map(({ prototype }) => jest.spyOn(prototype, 'close'));
    const service = await startService();
    await service.close();
    const [batching = 0, database = 0] = closings.map(({ mock }) => mock.invocationCallOrder[0]);
    jest.restoreAllMocks();
    expect(batching).toBeGreaterThan(0);
    expect(database).toBeGreaterThan(batching);
  });
});
