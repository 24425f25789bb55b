// The programs of the trial: whether they are installed, how they are started, and that none of them outlives it.
import { spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { connect, createServer } from 'node:net';
import { setTimeout as delay } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';

export const ROOT = fileURLToPath(new URL('../..', import.meta.url));

/** Debian puts servers where not every user's PATH leads. */
export const PATH = `${process.env.PATH ?? ''}:/usr/sbin:/usr/local/sbin`;

const START_MAX_MS = 30_000;
const POLL_MS = 50;

/** The version that a program prints; undefined if it is not installed. */
export function versionOf(program, flag = '--version') {
  const { error, stdout, stderr } = spawnSync(program, [flag], { env: { PATH }, encoding: 'utf8' });
  return error === undefined ? `${stdout}${stderr}`.split('\n', 1)[0] : undefined;
}

const running = new Set();
process.once('exit', () => running.forEach(({ child }) => child.kill('SIGKILL')));

/** @returns the child, with `ended` (its exit code or signal) and `output()` (the last of what it wrote) */
export function start(name, command, args, options = {}) {
  const child = spawn(command, args, { stdio: ['ignore', 'pipe', 'pipe'], ...options });
  let text = '';
  for (const stream of [child.stdout, child.stderr]) {
    stream.setEncoding('utf8').on('data', (more) => (text = (text + more).slice(-4000)));
  }
  const ended = once(child, 'close').then(() => child.exitCode ?? child.signalCode);
  const program = { name, child, ended, output: () => text };
  running.add(program);
  void ended.then(() => running.delete(program));
  return program;
}

/** Ends all programs, the last one first. */
export async function stopAll() {
  for (const { child, ended } of [...running].toReversed()) {
    child.kill('SIGKILL');
    await ended;
  }
}

/** Waits until a condition is true. The error names it, with the output of the program. */
export async function until(what, isTrue, program) {
  const giveUpAt = performance.now() + START_MAX_MS;
  while (!(await isTrue())) {
    const hasEnded = program !== undefined && (program.child.exitCode ?? program.child.signalCode) !== null;
    if (hasEnded || performance.now() > giveUpAt) {
      throw new Error(`not in time: ${what}${program ? `; ${program.name}:\n${program.output()}` : ''}`);
    }
    await delay(POLL_MS);
  }
}

export const accepts = (port) =>
  new Promise((resolve) => {
    const socket = connect(port, '127.0.0.1');
    const settle = (result) => {
      socket.destroy();
      resolve(result);
    };
    socket.once('connect', () => settle(true)).once('error', () => settle(false));
  });

export async function freePorts(count) {
  const servers = Array.from({ length: count }, () => createServer().listen(0, '127.0.0.1'));
  await Promise.all(servers.map((server) => once(server, 'listening')));
  const ports = servers.map((server) => server.address().port);
  await Promise.all(servers.map((server) => once(server.close(), 'close')));
  return ports;
}
