import { afterAll, beforeAll, describe, expect, it, jest } from '@jest/globals';
import { setTimeout as delay } from 'node:timers/promises';
import { issueKeys } from '../support/issue-keys.js';
import type { Replica } from '../support/replicas.js';
import { tell } from './support/figures.js';
import { startFlood } from './support/flood.js';
import { askHonestly, median } from './support/honest-clients.js';
import { residentMb } from './support/memory.js';
import { openStage, type Stage } from './support/stage.js';

jest.setTimeout(120_000);

/** As many as keep a replica busy all the time, each with a request in flight. */
const CAPACITY = 64;
const ROUNDS = 3;
const ROUND_MS = 6000;
const GROWTH_MAX_MB = 300;
/** Clients, flood, service and database share two cores. */
const P99_MAX_MS = 300;

let stage: Stage;
let replica: Replica;
let honestKey: string;
let floodKey: string;
beforeAll(async () => {
  stage = await openStage({ replicas: 1, isStraight: true });
  const [first] = stage.replicas;
  if (first === undefined) throw new Error('no replica');
  replica = first;
  const [honest, flood] = await issueKeys(stage.pool, 2, { perMinute: 10_000_000, perDay: 100_000_000 });
  honestKey = honest?.key ?? '';
  floodKey = flood?.key ?? '';
});
afterAll(() => stage.close());

/** Honest clients of one key beside connections of another that send the next request as soon as they have a response. */
async function beside(connections: number): Promise<{
  readonly p50Ms: number;
  readonly p99Ms: number;
  readonly requests: number;
  readonly rejected: number;
  /** Honest requests other than 200, and others of the flood than 200 and 503. */
  readonly wrong: readonly string[];
}> {
  const bytes = `GET /v1/pets?limit=5 HTTP/1.1\r\nHost: localhost\r\nAuthorization: Bearer ${floodKey}\r\n\r\n`;
  const stop = startFlood(replica.port, { connections, pauseMs: 0, bytes });
  await delay(500);
  const { requests, others, p50Ms, p99Ms } = await askHonestly(replica.origin, honestKey, ROUND_MS);
  const { sent, seen } = await stop();
  const flooded = Object.keys(seen).filter((status) => status !== '200' && status !== '503');
  return {
    p50Ms,
    p99Ms,
    requests: requests + sent,
    rejected: seen['503'] ?? 0,
    wrong: [...Object.keys(others), ...flooded],
  };
}

describe('ten times as many requests in flight as keep a replica busy', () => {
  it('leave the clients of another key their turn: 200 within a bounded time', async () => {
    await beside(CAPACITY);
    const before = await residentMb([replica]);
    const busy: number[] = [];
    const overloaded: number[] = [];
    const medians: number[] = [];
    let requests = 0;
    let rejected = 0;
    const wrong: string[] = [];
    let grown = 0;
    for (let round = 1; round <= ROUNDS; round += 1) {
      const one = await beside(CAPACITY);
      const ten = await beside(10 * CAPACITY);
      busy.push(one.p99Ms);
      overloaded.push(ten.p99Ms);
      medians.push(ten.p50Ms);
      requests += one.requests + ten.requests;
      rejected += one.rejected + ten.rejected;
      wrong.push(...one.wrong, ...ten.wrong);
      grown = Math.max(grown, (await residentMb([replica])) - before);
    }
    await tell({
      fault: 'ten times the requests that keep a replica busy',
      injected: ROUNDS,
      requests,
      wrong: wrong.length,
      lost: 0,
      also: `honest p99 ${median(busy).toFixed(0)} ms busy; p50 ${median(medians).toFixed(0)} ms, p99 ${median(overloaded).toFixed(0)} ms at ten times that; ${rejected} of the flood got 503; ${Math.round(grown)} MB more`,
    });
    expect(wrong).toEqual([]);
    expect(grown).toBeLessThan(GROWTH_MAX_MB);
    expect(median(overloaded)).toBeLessThan(P99_MAX_MS);
  });
});
