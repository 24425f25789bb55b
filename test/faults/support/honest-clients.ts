import { setTimeout as delay } from 'node:timers/promises';
import { createAgent, send } from './send.js';

/** What clients of good will met while they asked at their pace. */
export interface HonestFigures {
  readonly requests: number;
  readonly p50Ms: number;
  readonly p99Ms: number;
  /** Of what was asked before they had settled. */
  readonly p99SettlingMs: number;
  /** Anything but 200, by status. */
  readonly others: Readonly<Record<string, number>>;
}

const CLIENTS = 8;
const THINK_MS = 20;

/** Eight clients list animals for a while, each from an address of its own. What they meet first can be told apart. */
export async function askHonestly(
  origin: string,
  key: string,
  lastingMs: number,
  settlingMs = 0,
): Promise<HonestFigures> {
  const agent = createAgent();
  const latencies: number[] = [];
  const settling: number[] = [];
  const others: Record<string, number> = {};
  let requests = 0;
  const settled = performance.now() + settlingMs;
  const until = performance.now() + lastingMs;
  const client = async (number: number): Promise<void> => {
    const headers = { authorization: `Bearer ${key}`, 'x-forwarded-for': `198.51.100.${number}` };
    while (performance.now() < until) {
      const begunAt = performance.now();
      const { status } = await send(origin, { path: '/v1/pets?limit=5', headers, agent });
      requests += 1;
      if (status === 200) (begunAt < settled ? settling : latencies).push(performance.now() - begunAt);
      else others[status] = (others[status] ?? 0) + 1;
      await delay(THINK_MS * (0.5 + Math.random()));
    }
  };
  await Promise.all(Array.from({ length: CLIENTS }, (_, number) => client(number)));
  agent.destroy();
  return {
    requests,
    others,
    p50Ms: median(latencies),
    p99Ms: quantile(latencies, 0.99),
    p99SettlingMs: quantile(settling, 0.99),
  };
}

export const median = (values: readonly number[]): number => quantile(values, 0.5);

const quantile = (values: readonly number[], part: number): number =>
  [...values].sort((a, b) => a - b)[Math.floor(values.length * part)] ?? Number.NaN;
