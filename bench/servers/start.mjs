// Starts a server in a process of its own, and stops it.
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { closeSync, mkdirSync, openSync } from 'node:fs';
import { dirname } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';

const PROBE = new URL('probe.mjs', import.meta.url).href;
/** Of the server that was started last, and not read by anybody here. */
const LOG = fileURLToPath(new URL('../.data/server.log', import.meta.url));
const START_MS = 30_000;
/** A service that drains for longer is ended without mercy. */
const STOP_MS = 10_000;
const OUTPUT_KEPT = 4000;

/**
 * @typedef {object} Running
 * @property {string} address such as `http://127.0.0.1:4711`
 * @property {(question: string, parameter?: unknown) => Promise<any>} ask what the probe answers
 * @property {() => Promise<void>} stop
 */

/**
 * Resolves when the server says where it listens: a line with `localhost:PORT`, from the service and the baselines alike.
 *
 * @param {string} file relative to the project
 * @param {Record<string, string>} environment added to this process's
 * @param {readonly string[]} [flags] of Node.js
 * @returns {Promise<Running>}
 */
export async function startServer(file, environment, flags = []) {
  // A line for each request: to a file, for whoever reads a pipe would share the machine with what is measured.
  mkdirSync(dirname(LOG), { recursive: true });
  const log = openSync(LOG, 'w');
  const child = spawn(process.execPath, [...flags, '--import', PROBE, file], {
    cwd: fileURLToPath(new URL('../..', import.meta.url)),
    env: { ...process.env, NODE_ENV: 'production', HOST: '127.0.0.1', PORT: '0', ...environment },
    stdio: ['ignore', 'pipe', log, 'ipc'],
  });
  closeSync(log);
  let output = '';
  const port = await new Promise((resolve, reject) => {
    const timer = setTimeout(() => reject(new Error(`${file} did not start in time`)), START_MS);
    child.once('error', reject);
    child.once('exit', (code) => reject(new Error(`${file} ended with ${String(code)}: see ${LOG}`)));
    child.stdout.setEncoding('utf8').on('data', (text) => {
      output = (output + text).slice(-OUTPUT_KEPT);
      const found = /localhost:(\d+)/.exec(output);
      if (found === null) return;
      clearTimeout(timer);
      resolve(Number(found[1]));
    });
  }).catch((error) => {
    child.kill('SIGKILL');
    throw error;
  });
  return {
    address: `http://127.0.0.1:${String(port)}`,
    ask: askerOf(child),
    stop: () => stop(child),
  };
}

function askerOf(child) {
  let asked = 0;
  return async (question, parameter) => {
    asked += 1;
    const id = asked;
    const answer = new Promise((resolve, reject) => {
      const settle = (act) => (value) => {
        child.off('message', onMessage);
        child.off('exit', onExit);
        act(value);
      };
      const onMessage = (message) => message.id === id && settle(resolve)(message.answer);
      const onExit = settle(() => reject(new Error('the server ended')));
      child.on('message', onMessage);
      child.on('exit', onExit);
    });
    child.send({ id, question, parameter });
    return await answer;
  };
}

async function stop(child) {
  if (child.exitCode !== null || child.signalCode !== null) return;
  const ended = once(child, 'exit');
  child.kill('SIGTERM');
  const giveUp = new AbortController();
  const timer = delay(STOP_MS, undefined, { signal: giveUp.signal }).then(
    () => child.kill('SIGKILL'),
    () => undefined,
  );
  await ended;
  giveUp.abort();
  await timer;
}
