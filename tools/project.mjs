// Where the project lies, and how its tools run each other.
import { spawn } from 'node:child_process';
import { createRequire } from 'node:module';
import { fileURLToPath } from 'node:url';

/** The project's top folder. */
export const root = fileURLToPath(new URL('..', import.meta.url));

/** The path of a file within an installed package. */
export function packageFile(name, path) {
  const manifest = createRequire(import.meta.url).resolve(`${name}/package.json`);
  return manifest.slice(0, -'package.json'.length) + path;
}

/** Runs a script with this Node.js. Returns its exit code and its output, of both streams in the order of writing. */
export function runScript(path, words, { cwd = root, env = process.env } = {}) {
  return new Promise((resolve, reject) => {
    const child = spawn(process.execPath, [path, ...words], {
      cwd,
      env,
      stdio: ['ignore', 'pipe', 'pipe'],
    });
    let output = '';
    for (const stream of [child.stdout, child.stderr]) {
      stream.setEncoding('utf8').on('data', (text) => (output += text));
    }
    child.once('error', reject);
    // A script killed by a signal has no exit code: a failure.
    child.once('close', (code) => resolve({ code: code ?? 1, output }));
  });
}
