// Packs the client, for the service to serve: dist/client/petstore-client-<version>.tgz. An unchanged package is not
// rebuilt. With --optional, a compile error is only reported: the types are written after the service build.
import { execFileSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { cp, mkdir, mkdtemp, readdir, readFile, rename, rm } from 'node:fs/promises';
import { basename, join } from 'node:path';
import { argv, execPath } from 'node:process';
import { packageFile, root } from '../project.mjs';

const SOURCE = join(root, 'client');
const BUILD = join(root, 'tools/client/build.mjs');
const KEPT = join(root, 'node_modules/.petstore-client');

const isOptional = argv.includes('--optional');

/** Not what `npm run client:build` leaves there. */
const isSource = (path) => !path.startsWith(join(SOURCE, 'dist'));

const entries = await readdir(SOURCE, { recursive: true, withFileTypes: true });
const files = entries
  .filter((entry) => entry.isFile())
  .map(({ parentPath, name }) => join(parentPath, name))
  .filter(isSource)
  .toSorted();
const hash = createHash('sha256');
const makers = [BUILD, join(root, 'tsconfig.json'), packageFile('@typescript/native', 'package.json')];
for (const file of [...files, ...makers]) hash.update(file.slice(root.length)).update(await readFile(file));
const kept = join(KEPT, hash.digest('hex'));

try {
  if (!(await isThere(kept))) await pack();
  await cp(kept, join(root, 'dist/client'), { recursive: true });
} catch (error) {
  if (!isOptional) throw error;
  console.error(
    'The client does not compile yet, so it is not packed. "npm run openapi" writes its types, then packs it.',
  );
}

async function pack() {
  const folder = await mkdtemp(`${KEPT}-`);
  try {
    const copy = join(folder, 'copy');
    const packed = join(folder, 'packed');
    await cp(SOURCE, copy, { recursive: true, filter: (path) => isSource(path) });
    execFileSync(execPath, [BUILD, join(copy, 'dist')], { stdio: isOptional ? 'ignore' : 'inherit' });
    await mkdir(packed);
    execFileSync('npm', ['pack', copy, '--silent', '--pack-destination', packed], { cwd: folder });
    await mkdir(KEPT, { recursive: true });
    // Unless another build has written it.
    await rename(packed, kept).catch(async (error) => {
      if (!(await isThere(kept))) throw error;
    });
    for (const name of await readdir(KEPT))
      if (name !== basename(kept)) await rm(join(KEPT, name), { recursive: true, force: true });
  } finally {
    await rm(folder, { recursive: true });
  }
}

async function isThere(path) {
  const names = await readdir(path).catch(() => []);
  return names.length > 0;
}
