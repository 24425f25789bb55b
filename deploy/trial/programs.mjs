// The programs of a trial: which of them are there, how they are started, and that none of them outlives it.
import { spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { connect, createServer } from 'node:net';
import { setTimeout as delay } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';

export const DEPLOY = fileURLToPath(new URL('..', import.meta.url));
export const ROOT = fileURLToPath(new URL('../..', import.meta.url));

/** Where Debian puts servers, which is not on everybody's PATH. */
export const PATH = `${process.env['PATH'] ?? ''}:/usr/sbin:/usr/local/sbin`;

/** How long a program may take to be there. */
const START_MAX_MS = 30_000;
const POLL_MS = 50;

/** The first line that a program says of its version; undefined when there is no such program. */
export function versionOf(program, flag = '--version') {
  const { error, stdout, stderr } = spawnSync(program, [flag], { env: { PATH }, encoding: 'utf8' });
  return error === undefined ? `${stdout}${stderr}`.split('\n', 1)[0] : undefined;
}

/** Starts programs; `close` ends all that run still, the last one first. */
export class Programs {
  #running = [];

  constructor() {
    // Also of a trial that a signal or an error ends.
    process.once('exit', () => {
      for (const { child } of this.#running) child.kill('SIGKILL');
    });
  }

  /** @returns the child, with `ended` (its exit code or signal) and `said()` (the last of what it wrote) */
  start(name, command, args, options = {}) {
    const child = spawn(command, args, { stdio: ['ignore', 'pipe', 'pipe'], ...options });
    let text = '';
    for (const stream of [child.stdout, child.stderr]) {
      stream.setEncoding('utf8').on('data', (more) => (text = (text + more).slice(-4000)));
    }
    const ended = Promise.race([
      once(child, 'close').then(() => child.exitCode ?? child.signalCode),
      once(child, 'error').then(([error]) => error.message),
    ]);
    const program = { name, child, ended, said: () => text };
    this.#running.push(program);
    void ended.then(() => (this.#running = this.#running.filter((one) => one !== program)));
    return program;
  }

  async close() {
    for (const { child, ended } of this.#running.toReversed()) {
      child.kill('SIGKILL');
      await ended;
    }
  }
}

/** Waits until something is true; says what it waited for in vain, and what the program said. */
export async function until(what, isTrue, program) {
  const giveUp = performance.now() + START_MAX_MS;
  while (!(await isTrue())) {
    const hasEnded = program !== undefined && (program.child.exitCode ?? program.child.signalCode) !== null;
    if (hasEnded || performance.now() > giveUp) {
      throw new Error(
        `${what}: waited in vain${program ? `; ${program.name} said:\n${program.said()}` : ''}`,
      );
    }
    await delay(POLL_MS);
  }
}

export function accepts(port) {
  return new Promise((resolve) => {
    const socket = connect(port, '127.0.0.1');
    const settle = (answer) => {
      socket.destroy();
      resolve(answer);
    };
    socket.once('connect', () => settle(true)).once('error', () => settle(false));
  });
}

/** Ports that nobody has at this moment. */
export async function freePorts(count) {
  const servers = Array.from({ length: count }, () => createServer().listen(0, '127.0.0.1'));
  await Promise.all(servers.map((server) => once(server, 'listening')));
  const ports = servers.map((server) => server.address().port);
  await Promise.all(servers.map((server) => once(server.close(), 'close')));
  return ports;
}
