import { fork } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { afterEach, beforeEach, describe, expect, it, jest } from '@jest/globals';
import { issueKeys } from '../support/issue-keys.js';
import type { Replica } from '../support/replicas.js';
import { tell } from './support/figures.js';
import type { FloodFigures } from './support/flood.js';
import { askHonestly } from './support/honest-clients.js';
import { residentMb } from './support/memory.js';
import { openStage, type Stage } from './support/stage.js';

jest.setTimeout(120_000);

const ATTACK_MS = 15_000;
const WARM_MS = 3000;
const RESIDENT_MAX_MB = 350;
const P99_MAX_MS = 200;

let stage: Stage;
let replica: Replica;
let key: string;
let banned: string;
// A process of its own for each attack: the memory of one does not count for the next.
beforeEach(async () => {
  stage = await openStage({ replicas: 1, isStraight: true });
  const [first] = stage.replicas;
  if (first === undefined) throw new Error('no replica');
  replica = first;
  const [honest, free] = await issueKeys(stage.pool, 2, { perMinute: 1_000_000, perDay: 10_000_000 });
  key = honest?.key ?? '';
  banned = free?.key ?? '';
  await stage.pool.query(`select set_api_key_limits($1, 60, 1000)`, [free?.id]);
  await askHonestly(replica.origin, key, WARM_MS);
});
afterEach(() => stage.close());

const get = (target: string, headers = ''): string => `GET ${target} HTTP/1.1\r\nHost: x\r\n${headers}\r\n`;

interface Attack {
  readonly fault: string;
  readonly connections: number;
  readonly request: () => string;
  readonly count: number;
  readonly reading: 'never' | 'always' | 'between';
}

const ATTACKS: readonly Attack[] = [
  {
    fault: 'pipelining: 40 connections × 64 KB of GET /openapi.json, not read',
    connections: 40,
    request: () => get('/openapi.json'),
    count: 1700,
    reading: 'never',
  },
  {
    fault: 'pipelining: 20 connections × 64 KB of GET /openapi.json, read',
    connections: 20,
    request: () => get('/openapi.json'),
    count: 1700,
    reading: 'always',
  },
  {
    fault: 'pipelining: a banned key, 20 connections × 2,000 requests',
    connections: 20,
    request: () => get('/v1/pets', `Authorization: Bearer ${banned}\r\n`),
    count: 2000,
    reading: 'always',
  },
  {
    fault: 'pipelining: a banned key, 125 connections × 16 requests, again and again',
    connections: 125,
    request: () => get('/v1/pets', `Authorization: Bearer ${banned}\r\n`),
    count: 16,
    reading: 'between',
  },
];

describe('honest clients beside a client that pipelines without measure', () => {
  it.each(ATTACKS)(
    '$fault: are answered in time, in little memory',
    async ({ fault, request, ...attack }) => {
      const child = fork(join(__dirname, 'support', 'pipeliner.mjs'), [
        String(replica.port),
        String(attack.connections),
        Buffer.from(request(), 'latin1').toString('base64'),
        String(attack.count),
        attack.reading,
      ]);
      const attacked = askHonestly(replica.origin, key, ATTACK_MS);
      let resident = 0;
      for (let left = ATTACK_MS; left > 0; left -= 250) {
        await delay(250);
        resident = Math.max(resident, await residentMb([replica]));
      }
      const { requests, others, p50Ms, p99Ms } = await attacked;
      const told = once(child, 'message');
      child.send('stop');
      const [{ sent, seen }] = (await told) as [FloodFigures];
      const wrong = Object.keys(others).length;
      await tell({
        fault,
        injected: sent,
        requests,
        wrong,
        lost: 0,
        also: `honest p50 ${p50Ms.toFixed(0)} ms, p99 ${p99Ms.toFixed(0)} ms; ${resident.toFixed(0)} MB; ${JSON.stringify(seen)}`,
      });
      expect(others).toEqual({});
      expect(resident).toBeLessThan(RESIDENT_MAX_MB);
      expect(p99Ms).toBeLessThan(P99_MAX_MS);
    },
  );
});
