// The load generator: wrk, which takes the least from the machine that it shares with the server, or autocannon, which
// needs more CPU than most servers here, so that ratios appear closer to 1.
import { execFile } from 'node:child_process';
import { writeFile } from 'node:fs/promises';
import { availableParallelism } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { DATA_DIRECTORY } from './databases.mjs';

const SCRIPT = fileURLToPath(new URL('requests.lua', import.meta.url));
const AUTOCANNON = fileURLToPath(new URL('autocannon.mjs', import.meta.url));
const run = promisify(execFile);

/** One thread sends more than any of the servers responds to; with many cores a second one costs nothing. */
const THREADS = availableParallelism() > 4 ? 2 : 1;

/**
 * @typedef {object} LoadResult
 * @property {number} requests
 * @property {number} seconds
 * @property {number} p50Ms
 * @property {number} p99Ms
 * @property {number} notOk responses that are not 2xx
 * @property {number} broken failed connections and missing responses
 */

const wrk = {
  name: 'wrk',
  async prepare(file, requests) {
    const texts = requests.map(({ method, path, headers, body = '' }) => {
      const lines = Object.entries(headers).map(([header, value]) => `${header}: ${value}\r\n`);
      return `${method} ${path} HTTP/1.1\r\n${lines.join('')}\r\n${body}`;
    });
    const text = texts.map((one) => `${Buffer.byteLength(one)}\n${one}`).join('');
    await writeFile(join(DATA_DIRECTORY, file), text);
  },
  /** @returns {Promise<LoadResult>} */
  async drive({ address, file, connections, seconds }) {
    const { stdout } = await run('wrk', [
      ...[
        '-t',
        String(THREADS),
        '-c',
        String(connections),
        '-d',
        `${Math.ceil(seconds)}s`,
        '--timeout',
        '10s',
      ],
      ...['-s', SCRIPT, address, '--', join(DATA_DIRECTORY, file), String(THREADS)],
    ]);
    return JSON.parse(stdout.trim().split('\n').at(-1));
  },
};

const autocannon = {
  name: 'autocannon',
  async prepare(file, requests) {
    // It computes the length of a body itself.
    const text = JSON.stringify(requests, (name, value) => (name === 'content-length' ? undefined : value));
    await writeFile(join(DATA_DIRECTORY, file), text);
  },
  /** @returns {Promise<LoadResult>} */
  async drive({ address, file, connections, seconds }) {
    const args = [AUTOCANNON, address, join(DATA_DIRECTORY, file), String(connections), String(seconds)];
    return JSON.parse((await run(process.execPath, args)).stdout);
  },
};

export const chooseLoad = () =>
  run('wrk', ['-v']).then(
    () => wrk,
    // It prints its version and exits with 1.
    ({ code }) => (code === 1 ? wrk : autocannon),
  );
