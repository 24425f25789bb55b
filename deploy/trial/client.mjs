// Requests as clients send them: through HAProxy, over connections that stay open, each outcome counted.
import { Agent, request } from 'node:http';
import { Agent as TlsAgent, request as tlsRequest } from 'node:https';
import { setTimeout as delay } from 'node:timers/promises';

/** Longer than any response may take: HAProxy gives a replica ten seconds. */
const TIMEOUT_MS = 15_000;

const agent = new Agent({ keepAlive: true, maxSockets: 200 });
/** The certificates of trials are self-signed. */
const tlsAgent = new TlsAgent({ keepAlive: true, maxSockets: 500, rejectUnauthorized: false });

/** Closes idle connections: after a pause, the peer may be about to close them. */
export const closeIdle = () => [agent, tlsAgent].forEach((one) => one.destroy());

/** One request. `outcome` is its status with the error's code, or why there is none. */
export function send(origin, { key, method = 'GET', path = '/v1/pets?limit=5', body, headers = {} }) {
  const beganAt = performance.now();
  return new Promise((resolve) => {
    const settle = (outcome, { statusCode: status, headers: received } = { headers: {} }) =>
      resolve({ outcome, status, headers: received, beganAt, ms: performance.now() - beganAt });
    const isTls = origin.startsWith('https:');
    const outgoing = (isTls ? tlsRequest : request)(`${origin}${path}`, {
      ...{ method, agent: isTls ? tlsAgent : agent, timeout: TIMEOUT_MS },
      headers: {
        ...headers,
        ...(key && { authorization: `Bearer ${key}` }),
        ...(body && { 'content-type': 'application/json' }),
      },
    });
    outgoing.once('timeout', () => outgoing.destroy(new Error('no response in time')));
    outgoing.once('error', (error) => settle(`failed: ${error.code ?? error.message}`));
    outgoing.once('response', (response) => {
      let text = '';
      response.setEncoding('utf8').on('data', (more) => (text += more));
      response.once('error', (error) => settle(`failed: ${error.code ?? error.message}`));
      response.once('end', () => settle(outcomeOf(response, text), response));
    });
    outgoing.end(body);
  });
}

function outcomeOf({ statusCode: status, headers }, text) {
  if (status < 400) return String(status);
  // A response of HAProxy itself has no limits.
  const by = headers['x-ratelimit-limit'] === undefined ? ' by HAProxy' : '';
  return `${status} ${/"code":"(\w+)"/.exec(text)?.[1] ?? 'without a code'}${by}`;
}

/** How often each outcome occurred. */
export function tally(responses) {
  const counts = {};
  for (const { outcome } of responses) counts[outcome] = (counts[outcome] ?? 0) + 1;
  return JSON.stringify(counts);
}

export const count = (responses, ...statuses) =>
  responses.filter(({ status }) => statuses.includes(status)).length;

/** The milliseconds that a share of the responses does not exceed. */
export function quantile(responses, share) {
  const sorted = responses.map(({ ms }) => ms).sort((a, b) => a - b);
  return sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * share))].toFixed(0);
}

/** The seconds from the first request that failed to the last one. */
export function outage(responses) {
  const failed = responses.filter(({ status }) => status !== 200 && status !== 201);
  if (failed.length === 0) return '0';
  const times = failed.map(({ beganAt }) => beganAt);
  return ((Math.max(...times) - Math.min(...times)) / 1000).toFixed(1);
}

/** Open loop: a fixed rate, regardless of outstanding responses; `stop` waits for the last one. */
export function constantLoad(perSecond, makeRequest) {
  const sent = [];
  let isStopped = false;
  const run = (async () => {
    const beganAt = performance.now();
    for (let i = 0; !isStopped; i += 1) {
      const waitMs = beganAt + (i * 1000) / perSecond - performance.now();
      if (waitMs > 0) await delay(waitMs);
      sent.push(makeRequest(i));
    }
  })();
  return {
    stop: async () => {
      isStopped = true;
      await run;
      return await Promise.all(sent);
    },
  };
}

/** The requests of a shop: mostly lists, every tenth a new pet. */
export function shopRequest(origin, key, i, name) {
  if (i % 10 !== 0) return send(origin, { key, path: `/v1/pets?limit=${1 + (i % 20)}` });
  const body = JSON.stringify({ name, categoryId: 1, status: 'available' });
  return send(origin, { key, method: 'POST', path: '/v1/pets', body });
}
