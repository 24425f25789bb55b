// npm run client:build: compiles the client into client/dist, as ES modules and as CommonJS. An argument names another folder.
import { execFileSync } from 'node:child_process';
import { mkdir, rm, writeFile } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import { argv, execPath } from 'node:process';

const root = dirname(dirname(import.meta.dirname));
const [, , folder = join(root, 'client/dist')] = argv;
const compiler = join(
  dirname(createRequire(import.meta.url).resolve('@typescript/native/package.json')),
  'bin/tsc',
);

const FORMATS = {
  esm: { type: 'module', options: [] },
  cjs: {
    type: 'commonjs',
    options: ['--module', 'commonjs', '--moduleResolution', 'bundler', '--verbatimModuleSyntax', 'false'],
  },
};

await rm(folder, { recursive: true, force: true });
for (const [name, { type, options }] of Object.entries(FORMATS)) {
  const outDir = join(folder, name);
  const args = ['-p', join(root, 'client/tsconfig.json'), '--outDir', outDir, ...options];
  execFileSync(execPath, [compiler, ...args], { stdio: 'inherit' });
  await mkdir(outDir, { recursive: true });
  // Node.js and bundlers take these from the nearest package.json.
  const manifest = JSON.stringify({ type, sideEffects: false }, null, 2);
  await writeFile(join(outDir, 'package.json'), `${manifest}\n`);
}
