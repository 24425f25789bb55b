// A Redis of the benchmark's own, in memory alone, for the baseline that needs one.
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync } from 'node:fs';
import { rm } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { DATA_DIRECTORY } from '../database/databases.mjs';

const START_MS = 5000;
const POLL_MS = 20;

/** The socket's path, or undefined where no Redis is installed. */
export async function openRedis() {
  const path = join(DATA_DIRECTORY, 'redis.sock');
  await rm(path, { force: true });
  const child = spawn(
    'redis-server',
    ['--port', '0', '--unixsocket', path, '--save', '', '--appendonly', 'no', '--daemonize', 'no'],
    { stdio: 'ignore', cwd: DATA_DIRECTORY },
  );
  let ended = false;
  child.once('error', () => (ended = true));
  child.once('exit', () => (ended = true));
  const giveUp = performance.now() + START_MS;
  while (!ended && !existsSync(path) && performance.now() < giveUp) await delay(POLL_MS);
  if (ended) return { path: undefined, close: () => Promise.resolve() };
  return {
    path,
    async close() {
      if (ended) return;
      const exit = once(child, 'exit');
      child.kill('SIGTERM');
      await exit;
    },
  };
}
