// The build: the Prisma client, then src/ to dist/, and beside it what is served as it is. It prints nothing unless it fails.
import { existsSync } from 'node:fs';
import { cp, readdir, rm } from 'node:fs/promises';
import { join, relative, sep } from 'node:path';
import { generateClient } from '../prisma/generate.mjs';
import { packageFile, root, runScript } from '../project.mjs';

const SOURCE = join(root, 'src');
const OUTPUT = join(root, 'dist');

/** The docs page: its scripts run in the browser as they are written. */
const PAGE = join('openapi', 'page');

/** Builds; when that fails, says why and returns 1. */
export async function buildOrTell() {
  try {
    await generateClient();
    await compile();
    await cp(join(SOURCE, PAGE), join(OUTPUT, PAGE), { recursive: true });
    await removeStale();
    return 0;
  } catch (error) {
    const missing = error.code === 'MODULE_NOT_FOUND';
    process.stderr.write(
      missing
        ? 'The build needs the development packages: run "npm ci --include=dev". (What is built runs as "node dist/main.js".)\n'
        : `${error.message}\n`,
    );
    return 1;
  }
}

async function compile() {
  const compiler = packageFile('@typescript/native', 'bin/tsc');
  const { code, output } = await runScript(compiler, ['-p', 'tsconfig.build.json']);
  if (code !== 0) throw new Error(`TypeScript:\n${output.trim()}`);
}

/** Removes what an earlier build made from sources that are gone. Only after compiling: a service may run from dist/. */
async function removeStale() {
  const entries = await readdir(OUTPUT, { recursive: true, withFileTypes: true });
  const stale = entries
    .filter((entry) => entry.isFile())
    .map((entry) => join(entry.parentPath, entry.name))
    .filter((file) => !existsSync(sourceOf(file)));
  await Promise.all(stale.map((file) => rm(file)));
}

function sourceOf(file) {
  const path = relative(OUTPUT, file);
  return join(SOURCE, path.startsWith(PAGE + sep) ? path : path.replace(/\.js(\.map)?$/, '.ts'));
}
