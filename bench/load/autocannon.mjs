// Load by autocannon, where there is no wrk. It needs more of the machine than most servers here, so ratios come out
// nearer to 1 than they are, and its latencies are whole milliseconds.
import { execFile } from 'node:child_process';
import { writeFile } from 'node:fs/promises';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';

const PROCESS = fileURLToPath(new URL('autocannon-process.mjs', import.meta.url));
const run = promisify(execFile);

export const name = 'autocannon';

export async function prepare(file, requests) {
  // It works out the length of a body itself.
  const plain = requests.map(({ headers, ...rest }) => ({
    ...rest,
    headers: Object.fromEntries(Object.entries(headers).filter(([header]) => header !== 'content-length')),
  }));
  await writeFile(file, JSON.stringify(plain));
}

/**
 * @param {{ address: string, file: string, connections: number, seconds: number }} options
 * @returns {Promise<import('./load.mjs').LoadResult>}
 */
export async function drive({ address, file, connections, seconds }) {
  const { stdout } = await run(process.execPath, [
    PROCESS,
    address,
    file,
    String(connections),
    String(seconds),
  ]);
  return JSON.parse(stdout);
}
