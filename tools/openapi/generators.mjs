// npm run check -- openapi: three generators of clients make code from docs/openapi.yaml that compiles, and that has all
// operations.
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { packageFile, root, runScript } from '../project.mjs';

const DOCUMENT = join(root, 'docs/openapi.yaml');

const OPERATIONS = [...(await readFile(DOCUMENT, 'utf8')).matchAll(/^ +operationId: (\w+)$/gm)].map(
  ([, id]) => id,
);

/** The command of each generator, and a program that uses what it wrote. */
const GENERATORS = {
  'openapi-typescript': {
    script: packageFile('openapi-typescript', 'bin/cli.js'),
    words: (folder) => [DOCUMENT, '-o', join(folder, 'generated.ts')],
    use: `import type { operations } from './generated.js';
      export type Used = [${OPERATIONS.map((id) => `operations['${id}']['responses']`).join(', ')}];`,
  },
  'hey-api': {
    script: packageFile('@hey-api/openapi-ts', 'bin/run.js'),
    words: (folder) => ['-i', DOCUMENT, '-o', join(folder, 'generated'), '--no-log-file'],
    use: `import { ${OPERATIONS.join(', ')} } from './generated/index.js';
      export const used = [${OPERATIONS.join(', ')}];`,
  },
  orval: {
    script: packageFile('orval', 'dist/bin/orval.mjs'),
    words: (folder) => ['--input', DOCUMENT, '--output', join(folder, 'generated.ts'), '--client', 'fetch'],
    use: `import { ${OPERATIONS.join(', ')} } from './generated.js';
      export const used = [${OPERATIONS.join(', ')}];`,
  },
};

const COMPILER_OPTIONS = ['--ignoreConfig', '--noEmit', '--strict', '--skipLibCheck', '--types', ''];
const LANGUAGE = ['--target', 'es2022', '--lib', 'es2022,dom,dom.iterable', '--module', 'esnext'];

for (const [name, { script, words, use }] of Object.entries(GENERATORS)) {
  const folder = await mkdtemp(join(tmpdir(), 'petstore-generator-'));
  try {
    await mustRun(name, script, words(folder));
    const program = join(folder, 'use.ts');
    await writeFile(program, use);
    await mustRun(name, packageFile('@typescript/native', 'bin/tsc'), [
      ...[program, ...COMPILER_OPTIONS, ...LANGUAGE],
      ...['--moduleResolution', 'bundler'],
    ]);
    console.log(`${name}: a client that compiles, with all operations`);
  } catch (error) {
    console.error(error.message);
    process.exitCode = 1;
  } finally {
    await rm(folder, { recursive: true });
  }
}

async function mustRun(name, script, words) {
  const { code, output } = await runScript(script, words);
  if (code !== 0) throw new Error(`${name}: ${output.trim()}`);
}
