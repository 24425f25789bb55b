// Starts servers in processes of their own, and stops them.
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { closeSync, existsSync, openSync } from 'node:fs';
import { rm } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { DATA_DIRECTORY } from './databases.mjs';
import { node } from './node.mjs';

const START_MS = 30_000;
const REDIS_START_MS = 5000;
/** A server that has not ended by then is killed. */
const STOP_MS = 10_000;

/**
 * Resolves when the server prints where it listens: a line with `localhost:PORT`.
 *
 * @param {string} file relative to the project
 * @param {readonly string[]} flags of Node.js
 * @param {Record<string, string>} environment added to this process's
 */
export async function startServer(file, flags, environment) {
  // Logs go to a file: a pipe's reader would compete with the server for CPU.
  const logFile = join(DATA_DIRECTORY, 'server.log');
  const log = openSync(logFile, 'w');
  const child = spawn(node.path, [...flags, file], {
    cwd: fileURLToPath(new URL('..', import.meta.url)),
    env: { ...process.env, NODE_ENV: 'production', HOST: '127.0.0.1', PORT: '0', ...environment },
    stdio: ['ignore', 'pipe', log],
  });
  closeSync(log);
  const stop = () => stopProcess(child);
  let output = '';
  const port = await new Promise((resolve, reject) => {
    const timer = setTimeout(() => reject(new Error(`${file} did not start in time`)), START_MS);
    child.once('exit', (code) => reject(new Error(`${file} ended with ${String(code)}: see ${logFile}`)));
    child.stdout.setEncoding('utf8').on('data', (text) => {
      output += text;
      const found = /localhost:(\d+)/.exec(output);
      if (found === null) return;
      clearTimeout(timer);
      resolve(Number(found[1]));
    });
  }).catch(async (error) => {
    await stop();
    throw error;
  });
  return { address: `http://127.0.0.1:${String(port)}`, pid: child.pid, stdout: child.stdout, stop };
}

/** A Redis in memory alone. `path` is its socket; undefined where no Redis is installed. */
export async function openRedis() {
  const path = join(DATA_DIRECTORY, 'redis.sock');
  await rm(path, { force: true });
  const child = spawn(
    'redis-server',
    ['--port', '0', '--unixsocket', path, '--save', '', '--appendonly', 'no', '--daemonize', 'no'],
    { stdio: 'ignore', cwd: DATA_DIRECTORY },
  );
  let hasFailed = false;
  child.once('error', () => (hasFailed = true));
  const giveUpAt = performance.now() + REDIS_START_MS;
  while (!hasFailed && !existsSync(path) && performance.now() < giveUpAt) await delay(20);
  if (!existsSync(path)) return { path: undefined, close: () => Promise.resolve() };
  return { path, close: () => stopProcess(child) };
}

async function stopProcess(child) {
  if (child.exitCode !== null || child.signalCode !== null) return;
  const ended = once(child, 'exit');
  child.kill('SIGTERM');
  const timer = setTimeout(() => child.kill('SIGKILL'), STOP_MS);
  await ended;
  clearTimeout(timer);
}
