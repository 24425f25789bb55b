// node tools/install.mjs FOLDER …: installs the packages of folders with their own package.json, unless present. Few people
// need them, so `npm ci` at the top leaves them out.
import { spawnSync } from 'node:child_process';
import { statSync } from 'node:fs';
import { join } from 'node:path';
import { argv, exit } from 'node:process';
import { root } from './project.mjs';

const changedAt = (file) => statSync(file, { throwIfNoEntry: false })?.mtimeMs ?? 0;

for (const folder of argv.slice(2)) {
  const cwd = join(root, folder);
  const isInstalled =
    changedAt(join(cwd, 'node_modules/.package-lock.json')) >= changedAt(join(cwd, 'package-lock.json'));
  if (isInstalled) continue;
  console.log(`Installing the packages of ${folder}/package.json …`);
  const { status } = spawnSync('npm', ['ci', '--loglevel=error'], { cwd, stdio: 'inherit' });
  if (status !== 0) exit(status ?? 1);
}
