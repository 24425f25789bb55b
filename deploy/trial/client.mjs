// Requests as clients make them: through HAProxy, over connections that stay open, each outcome counted.
import { randomUUID } from 'node:crypto';
import { Agent, request } from 'node:http';
import { setTimeout as delay } from 'node:timers/promises';

/** Longer than any answer may take: HAProxy gives a replica ten seconds. */
const TIMEOUT_MS = 15_000;

const agent = new Agent({ keepAlive: true, maxSockets: 200 });

/** One request, `from` an address of this machine: `outcome` is its status with the error's code, or what became of the connection. */
export function ask(origin, { key, method = 'GET', path = '/v1/pets?limit=5', body, from, headers = {} }) {
  const beganAt = performance.now();
  return new Promise((resolve) => {
    const settle = (outcome, status) => {
      resolve({ outcome, status, durationMs: performance.now() - beganAt, endedAt: performance.now() });
    };
    const options = { method, agent, timeout: TIMEOUT_MS, headers, ...(from && { localAddress: from }) };
    const outgoing = request(`${origin}${path}`, options);
    if (key !== undefined) outgoing.setHeader('authorization', `Bearer ${key}`);
    outgoing.once('timeout', () => outgoing.destroy(new Error('no answer in time')));
    outgoing.once('error', (error) => settle(`failed: ${error.code ?? error.message}`));
    outgoing.once('response', (answer) => {
      let text = '';
      answer.setEncoding('utf8').on('data', (more) => (text += more));
      answer.once('error', (error) => settle(`failed: ${error.code ?? error.message}`));
      answer.once('end', () => settle(outcomeOf(answer, text), answer.statusCode));
    });
    if (body !== undefined) outgoing.setHeader('content-type', 'application/json');
    outgoing.end(body);
  });
}

function outcomeOf({ statusCode: status, headers }, text) {
  if (status < 400) return String(status);
  // What HAProxy says itself has no limits.
  const by = headers['x-ratelimit-limit'] === undefined ? ' by HAProxy' : '';
  try {
    return `${status} ${JSON.parse(text).code}${by}`;
  } catch {
    return `${status} without JSON${by}`;
  }
}

/** How often each outcome occurred. */
export function tally(answers) {
  const counts = {};
  for (const { outcome } of answers) counts[outcome] = (counts[outcome] ?? 0) + 1;
  return counts;
}

export const count = (answers, ...statuses) =>
  answers.filter(({ status }) => statuses.includes(status)).length;

/** The value that a share of the answers does not exceed, in milliseconds. */
export function quantile(answers, share) {
  const sorted = answers.map(({ durationMs }) => durationMs).sort((a, b) => a - b);
  return sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * share))] ?? Number.NaN;
}

/** So many requests a second, whether the ones before were answered or not; `stop` waits for the last answer. */
export function constantLoad(perSecond, makeRequest) {
  const asked = [];
  let stopped = false;
  const run = (async () => {
    const beganAt = performance.now();
    for (let i = 0; !stopped; i += 1) {
      const waitMs = beganAt + (i * 1000) / perSecond - performance.now();
      if (waitMs > 0) await delay(waitMs);
      asked.push(makeRequest(i));
    }
  })();
  return {
    get sent() {
      return asked.length;
    },
    stop: async () => {
      stopped = true;
      await run;
      return await Promise.all(asked);
    },
  };
}

/** What a shop asks: mostly lists, now and then a new animal. */
export function shopRequest(origin, key, i, name = 'Rex') {
  if (i % 10 === 0) {
    const body = JSON.stringify({ name, categoryId: 1, status: 'available' });
    return ask(origin, { key, method: 'POST', path: '/v1/pets', body });
  }
  if (i % 10 === 5) return ask(origin, { key, path: '/v1/store/inventory' });
  return ask(origin, { key, path: `/v1/pets?limit=${1 + (i % 20)}` });
}

/** A name by which the animals of one part of the trial are counted. */
export const newName = () => `trial ${randomUUID()}`;
