// npm run openapi: writes docs/openapi.yaml, the copy of the document that the service serves.
// npm run check -- openapi: fails if the copy is out of date, or a linter reports a problem.
import { readFile, writeFile } from 'node:fs/promises';
import { argv } from 'node:process';
import { lint } from './openapi/lint.mjs';
import { servedDocument } from './openapi/served.mjs';

const COPY = 'docs/openapi.yaml';

const served = await servedDocument('/openapi.yaml');
if (argv.includes('--check')) await check();
else await writeFile(COPY, served);

async function check() {
  const copy = await readFile(COPY, 'utf8').catch(() => '');
  const faults = await lint(COPY, copy);
  if (copy !== served)
    faults.push(`${COPY} is not what the service serves: run "npm run openapi", and review the difference`);
  for (const fault of faults) console.error(fault);
  if (faults.length > 0) process.exitCode = 1;
  else console.log(`${COPY} is what the service serves; Spectral and Redocly find nothing in it`);
}
