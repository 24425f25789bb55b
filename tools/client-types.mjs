// npm run openapi: writes the parts of the client that are made from docs/openapi.yaml into client/src/generated.
// npm run check -- openapi: fails if they are out of date.
import { mkdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { argv } from 'node:process';
import { generateClient } from './client/generate.mjs';
import { root } from './project.mjs';

const FOLDER = join(root, 'client/src/generated');

const files = await generateClient(join(root, 'docs/openapi.yaml'));
if (argv.includes('--check')) await check();
else {
  await mkdir(FOLDER, { recursive: true });
  for (const [name, text] of Object.entries(files)) await writeFile(join(FOLDER, name), text);
}

async function check() {
  for (const [name, text] of Object.entries(files)) {
    if ((await readFile(join(FOLDER, name), 'utf8').catch(() => '')) === text) continue;
    console.error(`client/src/generated/${name} is out of date: run "npm run openapi"`);
    process.exitCode = 1;
  }
  if (process.exitCode === undefined) console.log('client/src/generated is up to date');
}
