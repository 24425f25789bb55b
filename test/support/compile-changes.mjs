// Compiles the files of src that are newer than the build, as the build does, so that no test runs an old one. Types are for the checks.
import { copyFile, mkdir, readdir, stat, writeFile } from 'node:fs/promises';
import { dirname, join, relative } from 'node:path';
import { transformFile } from '@swc/core';
import { root } from '../../tools/project.mjs';

const SRC = join(root, 'src');
const DIST = join(root, 'dist');

/** 0 for a file that is not there. */
const changedAt = (path) =>
  stat(path).then(
    ({ mtimeMs }) => mtimeMs,
    () => 0,
  );

export async function compileChanges() {
  if ((await changedAt(join(root, 'prisma/schema.prisma'))) > (await changedAt(join(DIST, 'main.js'))))
    throw new Error('There is no build of the present prisma/schema.prisma: run "npm run build".');
  const entries = await readdir(SRC, { recursive: true, withFileTypes: true });
  const files = entries
    .filter((entry) => entry.isFile())
    .map(({ parentPath, name }) => join(parentPath, name));
  await Promise.all(files.filter((file) => !/\.(?:spec|d)\.ts$/.test(file)).map((file) => compile(file)));
}

async function compile(file) {
  const built = join(DIST, relative(SRC, file)).replace(/\.ts$/, '.js');
  if ((await changedAt(file)) <= (await changedAt(built))) return;
  await mkdir(dirname(built), { recursive: true });
  if (!file.endsWith('.ts')) return await copyFile(file, built);
  const { code } = await transformFile(file, { cwd: root });
  await writeFile(built, code);
}
