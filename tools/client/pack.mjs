// Packs the client, for the service to serve: dist/client/petstore-client-<version>.tgz. What was packed before and has not changed is not
// built again.
import { execFileSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { cp, mkdir, mkdtemp, readdir, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { execPath } from 'node:process';
import { root } from '../project.mjs';

const SOURCE = join(root, 'client');
const KEPT = join(root, 'node_modules/.petstore-client');

/** Not what `npm run client:build` leaves there. */
const isSource = (path) => !path.startsWith(join(SOURCE, 'dist'));

const entries = await readdir(SOURCE, { recursive: true, withFileTypes: true });
const files = entries
  .filter((entry) => entry.isFile())
  .map(({ parentPath, name }) => join(parentPath, name))
  .filter(isSource)
  .toSorted();
const hash = createHash('sha256');
for (const file of [...files, join(root, 'tsconfig.json')]) hash.update(file).update(await readFile(file));
const kept = join(KEPT, hash.digest('hex'));

if ((await readdir(kept).catch(() => [])).length === 0) {
  const folder = await mkdtemp(join(tmpdir(), 'petstore-client-'));
  const copy = join(folder, 'copy');
  const packed = join(folder, 'packed');
  await cp(SOURCE, copy, { recursive: true, filter: (path) => isSource(path) });
  execFileSync(execPath, [join(root, 'tools/client/build.mjs'), join(copy, 'dist')], { stdio: 'inherit' });
  await mkdir(packed);
  execFileSync('npm', ['pack', copy, '--silent', '--pack-destination', packed], { cwd: folder });
  await rm(KEPT, { recursive: true, force: true });
  await mkdir(KEPT);
  await cp(packed, kept, { recursive: true });
  await rm(folder, { recursive: true });
}
await cp(kept, join(root, 'dist/client'), { recursive: true });
