import { fork } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { createAgent, send } from './send.js';

/** The figures of regular clients. */
export interface HonestFigures {
  readonly requests: number;
  readonly p50Ms: number;
  readonly p99Ms: number;
  /** The slowest of the clients' first requests, each of which opens a connection. */
  readonly openedMs: number;
  /** Responses other than 200, by status. */
  readonly others: Readonly<Record<string, number>>;
}

const CLIENTS = 8;
const THINK_MS = 20;

/**
 * Eight clients list pets for a while, each from an address of its own.
 *
 * @param settlingMs the time at the beginning whose latencies do not count
 */
export async function measureHonest(
  origin: string,
  key: string,
  lastingMs: number,
  settlingMs = 0,
): Promise<HonestFigures> {
  const agent = createAgent();
  const latencies: number[] = [];
  let openedMs = 0;
  const others: Record<string, number> = {};
  let requests = 0;
  const settledAt = performance.now() + settlingMs;
  const until = performance.now() + lastingMs;
  const client = async (number: number): Promise<void> => {
    const headers = { authorization: `Bearer ${key}`, 'x-forwarded-for': `198.51.100.${number}` };
    for (let isFirst = true; performance.now() < until; isFirst = false) {
      const sentAt = performance.now();
      const { status } = await send(origin, { path: '/v1/pets?limit=5', headers, agent });
      const latencyMs = performance.now() - sentAt;
      requests += 1;
      if (isFirst) openedMs = Math.max(openedMs, latencyMs);
      if (status !== 200) others[status] = (others[status] ?? 0) + 1;
      else if (sentAt >= settledAt) latencies.push(latencyMs);
      await delay(THINK_MS * (0.5 + Math.random()));
    }
  };
  await Promise.all(Array.from({ length: CLIENTS }, (_, number) => client(number)));
  agent.destroy();
  return { requests, others, openedMs, p50Ms: median(latencies), p99Ms: quantile(latencies, 0.99) };
}

export const median = (values: readonly number[]): number => quantile(values, 0.5);

const quantile = (values: readonly number[], part: number): number =>
  [...values].sort((a, b) => a - b)[Math.floor(values.length * part)] ?? Number.NaN;

export interface AttackFigures {
  readonly sent: number;
  /** Responses by their status. */
  readonly seen: Readonly<Record<string, number>>;
}

/** Starts an attack from a process of its own. Returns a function that ends it and returns its figures. */
export function startAttack(
  script: 'flooder' | 'pipeliner',
  args: readonly (string | number | Buffer)[],
): () => Promise<AttackFigures> {
  const child = fork(
    join(__dirname, `${script}.mjs`),
    args.map((arg) => (Buffer.isBuffer(arg) ? arg.toString('base64') : String(arg))),
  );
  return async () => {
    const reported = once(child, 'message');
    child.send('stop');
    const [figures] = (await reported) as [AttackFigures];
    return figures;
  };
}
