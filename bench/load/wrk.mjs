// Load by wrk, which takes the least from the machine that it shares with the server.
import { execFile } from 'node:child_process';
import { writeFile } from 'node:fs/promises';
import { availableParallelism } from 'node:os';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';

const SCRIPT = fileURLToPath(new URL('requests.lua', import.meta.url));
const run = promisify(execFile);

/** One thread sends more than any of the servers answers; with many cores a second one costs nobody anything. */
const THREADS = availableParallelism() > 4 ? 2 : 1;

export const name = 'wrk';

export const isPresent = () =>
  run('wrk', ['-v']).then(
    () => true,
    // It prints its version and exits with 1.
    (error) => error.code === 1,
  );

/**
 * Writes requests so that `drive` can send them.
 *
 * @param {string} file
 * @param {import('../requests.mjs').LoadRequest[]} requests
 */
export async function prepare(file, requests) {
  const texts = requests.map(({ method, path, headers, body = '' }) => {
    const lines = Object.entries(headers).map(([header, value]) => `${header}: ${value}\r\n`);
    return `${method} ${path} HTTP/1.1\r\n${lines.join('')}\r\n${body}`;
  });
  await writeFile(file, texts.map((text) => `${Buffer.byteLength(text)}\n${text}`).join(''));
}

/**
 * @param {{ address: string, file: string, connections: number, seconds: number }} options
 * @returns {Promise<import('./load.mjs').LoadResult>}
 */
export async function drive({ address, file, connections, seconds }) {
  const threads = Math.min(THREADS, connections);
  const { stdout } = await run('wrk', [
    ...['-t', String(threads), '-c', String(connections), '-d', `${Math.ceil(seconds)}s`],
    ...['--timeout', '10s', '-s', SCRIPT, address, '--', file, String(threads)],
  ]);
  return JSON.parse(stdout.trim().split('\n').at(-1));
}
