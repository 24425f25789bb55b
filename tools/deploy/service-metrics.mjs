// The names of the metrics that the service exports, as it exports them: read from one that runs.
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { createServer } from 'node:net';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { root } from '../project.mjs';
import { openTemporaryDatabase } from '../temporary-database.mjs';

const START_MAX_MS = 30_000;
const POLL_MS = 100;

/** The names that may stand in an expression: of a histogram its parts, of each metric its own. */
export async function serviceMetricNames() {
  const database = await openTemporaryDatabase();
  const port = await freePort();
  const service = spawn(process.execPath, [join(root, 'dist/main.js')], {
    env: {
      DATABASE_URL: database.url,
      HOST: '127.0.0.1',
      PORT: '0',
      MANAGEMENT_HOST: '127.0.0.1',
      MANAGEMENT_PORT: String(port),
      LOG_LEVEL: 'fatal',
    },
    stdio: ['ignore', 'ignore', 'inherit'],
  });
  const ended = once(service, 'close');
  try {
    return namesOf(await metricsAt(`http://127.0.0.1:${port}/metrics`, service));
  } finally {
    service.kill('SIGTERM');
    await ended;
    await database.close();
  }
}

async function metricsAt(url, service) {
  const giveUp = performance.now() + START_MAX_MS;
  while (service.exitCode === null && performance.now() < giveUp) {
    const text = await fetch(url).then(
      (answer) => (answer.ok ? answer.text() : undefined),
      () => undefined,
    );
    if (text !== undefined) return text;
    await delay(POLL_MS);
  }
  throw new Error('the service did not start: run "npm run build" first, and look at what it said');
}

function namesOf(text) {
  const names = new Set();
  for (const [, name, type] of text.matchAll(/^# TYPE (\S+) (\S+)$/gm)) {
    if (type === 'histogram' || type === 'summary') {
      for (const part of ['_sum', '_count']) names.add(name + part);
      if (type === 'histogram') names.add(`${name}_bucket`);
      else names.add(name);
    } else names.add(name);
  }
  return names;
}

async function freePort() {
  const server = createServer().listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address();
  server.close();
  await once(server, 'close');
  return port;
}
