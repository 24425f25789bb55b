// npm run client:types: writes what the client takes from docs/openapi.yaml into client/src/generated.
// npm run check:client: fails when what is there is not what the document says.
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
    console.error(
      `client/src/generated/${name} is not what docs/openapi.yaml says: run "npm run client:types"`,
    );
    process.exitCode = 1;
  }
  if (process.exitCode === undefined) console.log('client/src/generated is what docs/openapi.yaml says');
}
