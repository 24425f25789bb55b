// npm run check -- openapi: generators of clients make code from docs/openapi.yaml that has all operations. A program that uses it as a front end
// would compiles strictly, and runs against the built service.
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { chmod, mkdir, mkdtemp, readFile, rm, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { execPath } from 'node:process';
import { build } from 'esbuild';
import { packageFile, root, runScript } from '../project.mjs';

const DOCUMENT = join(root, 'docs/openapi.yaml');

const OPERATIONS = [...(await readFile(DOCUMENT, 'utf8')).matchAll(/^ +operationId: (\w+)$/gm)].map(
  ([, id]) => id,
);

const USE_ALL = `export const used = [${OPERATIONS.join(', ')}];`;

const ROUNDED = 'RangeError: 9007199254740993 would be rounded';

/** What each program prints: the new pet, the error of an order that does not exist, with its members, and a number that would be rounded. */
const printedWith = (rounded) =>
  `Rex 7\norder_not_found 404 There is no order with this orderId.\n${rounded}\n`;

/** The docs page's advice for JavaScript. */
const page = await readFile(join(root, 'src/pages/docs/index.html'), 'utf8');
const [, EXACT_FETCH = ''] = /<code id="exact-fetch">(.*?)<\/code>/s.exec(page) ?? [];

/** What the README of the client recommends for bigints. */
const readme = await readFile(join(root, 'client/README.md'), 'utf8');
const [, HEY_API_BIGINTS = ''] = /^```js\n(client\.setConfig.*?)^```$/ms.exec(readme) ?? [];
const [, ORVAL_BIGINTS = ''] = /^```js\n(BigInt\.prototype.*?)^```$/ms.exec(readme) ?? [];

const LARGE = '9007199254740993';

const [, INT64 = ''] = /^const INT64 = \/(.+)\/;$/m.exec(ORVAL_BIGINTS) ?? [];
const generated = await readFile(join(root, 'client/src/generated/int64.ts'), 'utf8');
for (const [, name] of generated.matchAll(/^ {2}"(\w+)"/gm))
  if (!new RegExp(INT64).test(name)) throw new Error(`client/README.md: INT64 leaves out ${name}`);

/** The command of each generator, and the program. */
const GENERATORS = {
  'openapi-typescript and openapi-fetch': {
    script: packageFile('openapi-typescript', 'bin/cli.js'),
    words: (folder) => [DOCUMENT, '-o', join(folder, 'generated.ts')],
    program: `import createClient from 'openapi-fetch';
      import type { operations, paths } from './generated.js';
      export type Used = [${OPERATIONS.map((id) => `operations['${id}']['responses']`).join(', ')}];
      const client = createClient<paths>({ baseUrl: BASE_URL, headers: { Authorization: \`Bearer \${API_KEY}\` }, fetch: exactFetch });
      const { data, error } = await client.POST('/pets', { body: { name: 'Rex', categoryId: 7 } });
      if (data === undefined) throw new Error(error.message);
      console.log(data.name, data.categoryId);
      const order = await client.GET('/store/orders/{orderId}', { params: { path: { orderId: 4711 } } });
      if (order.error !== undefined) console.log(order.error.code, order.error.status, order.error.message);
      await client.GET('/pets', { params: { query: { sort: '-id' } } }).catch((fault: unknown) => console.log(String(fault)));`,
  },
  'hey-api': {
    script: packageFile('@hey-api/openapi-ts', 'bin/run.js'),
    words: (folder) => ['-i', DOCUMENT, '-o', join(folder, 'generated'), '--no-log-file'],
    program: `import { client } from './generated/client.gen.js';
      import { ${OPERATIONS.join(', ')} } from './generated/index.js';
      ${USE_ALL}
      client.setConfig({ baseUrl: BASE_URL, auth: API_KEY, fetch: exactFetch });
      const { data, error } = await createPet({ body: { name: 'Rex', categoryId: 7 } });
      if (data === undefined) throw new globalThis.Error(error.message);
      console.log(data.name, data.categoryId);
      const order = await getOrder({ path: { orderId: 4711 } });
      if (order.error !== undefined) console.log(order.error.code, order.error.status, order.error.message);
      const large = await listPets({ query: { sort: '-id' } });
      if (large.error !== undefined) console.log(String(large.error));`,
  },
  orval: {
    script: packageFile('orval', 'dist/bin/orval.mjs'),
    words: (folder) => ['--input', DOCUMENT, '--output', join(folder, 'generated.ts'), '--client', 'fetch'],
    // Its URLs have no origin, as on a page served by the service itself.
    program: `import { ${OPERATIONS.join(', ')} } from './generated.js';
      ${USE_ALL}
      const { fetch } = globalThis;
      globalThis.fetch = (url, init) =>
        typeof url === 'string' && url.startsWith('/') ? exactFetch(\`\${BASE_URL}\${url}\`, init) : fetch(url, init);
      const headers = { Authorization: \`Bearer \${API_KEY}\` };
      const created = await createPet({ name: 'Rex', categoryId: 7 }, { headers });
      if (created.status !== 201) throw new Error(created.data.message);
      console.log(created.data.name, created.data.categoryId);
      const order = await getOrder(4711, { headers });
      if (order.status === 404) console.log(order.data.code, order.data.status, order.data.message);
      await listPets({ sort: '-id' }, { headers }).catch((fault: unknown) => console.log(String(fault)));`,
  },
  'kubb with zod': {
    script: packageFile('@kubb/cli', 'bin/kubb.cjs'),
    words: (folder) => ['generate', '--config', join(folder, 'kubb.config.mjs')],
    files: {
      'kubb.config.mjs': `import { defineConfig } from '@kubb/core';
        import { pluginClient } from '@kubb/plugin-client';
        import { pluginOas } from '@kubb/plugin-oas';
        import { pluginTs } from '@kubb/plugin-ts';
        import { pluginZod } from '@kubb/plugin-zod';
        export default defineConfig({
          root: '.',
          input: { path: ${JSON.stringify(DOCUMENT)} },
          output: { path: './generated', format: false, lint: false },
          plugins: [
            pluginOas({ generators: [] }),
            pluginTs(),
            pluginZod({ version: '4' }),
            pluginClient({ client: 'fetch', parser: 'zod', dataReturnType: 'full' }),
          ],
        });`,
    },
    // Its response schemas cover only success, and its fetch sends no JSON content type.
    program: `import { type Client, client as send, setConfig } from '@kubb/plugin-client/clients/fetch';
      import { ZodError } from 'zod';
      import { errorSchema, ${OPERATIONS.join(', ')} } from './generated/index.js';
      ${USE_ALL}
      setConfig({ baseURL: BASE_URL, headers: { Authorization: \`Bearer \${API_KEY}\`, 'Content-Type': 'application/json' } });
      const client: Client = async (config) => {
        const response = await send<never>(config);
        if (response.status >= 400) throw errorSchema.parse(response.data);
        return response;
      };
      const { data } = await createPet({ name: 'Rex', categoryId: 7 }, {}, { client });
      console.log(data.name, data.categoryId);
      await getOrder(4711, {}, { client }).catch(({ code, status, message }) => console.log(code, status, message));
      await listPets({ sort: '-id' }, {}, { client }).catch((fault: unknown) => {
        if (fault instanceof ZodError) for (const { path, message } of fault.issues) console.log(path.at(-1), message);
      });`,
    rounded: 'categoryId Too big: expected int to be <=9007199254740991',
  },
  'hey-api with bigints': {
    script: packageFile('@hey-api/openapi-ts', 'bin/run.js'),
    words: () => ['-f', 'hey-api.config.mjs', '--no-log-file'],
    files: {
      'hey-api.config.mjs': `export default {
        input: ${JSON.stringify(DOCUMENT)},
        output: 'generated',
        plugins: ['@hey-api/client-fetch', '@hey-api/transformers', { name: '@hey-api/sdk', transformer: true }],
      };`,
      'bigints.js': `import { stringify } from 'lossless-json';
        import { client } from './generated/client.gen.js';
        ${HEY_API_BIGINTS}`,
    },
    program: `import './bigints.js';
      import { client } from './generated/client.gen.js';
      import { ${OPERATIONS.join(', ')} } from './generated/index.js';
      ${USE_ALL}
      client.setConfig({ baseUrl: BASE_URL, auth: API_KEY });
      const { data, error } = await createPet({ body: { name: '7', categoryId: ${LARGE}n } });
      if (data === undefined) throw new globalThis.Error(error.message);
      const { data: pets = [] } = await listPets({ query: { id: [data.id] } });
      console.log(data.categoryId, pets.map(({ name, categoryId }) => [name, categoryId]));`,
    printed: `${LARGE}n [ [ '7', ${LARGE}n ] ]\n`,
  },
  'orval with bigints': {
    script: packageFile('orval', 'dist/bin/orval.mjs'),
    words: () => ['--config', 'orval.config.mjs'],
    files: {
      'orval.config.mjs': `const mutator = { path: './petstore-fetch.js', name: 'petstoreFetch' };
        const output = { target: 'generated.ts', client: 'fetch', override: { useBigInt: true, mutator } };
        export default { petstore: { input: ${JSON.stringify(DOCUMENT)}, output } };`,
      'petstore-fetch.js': ORVAL_BIGINTS,
      'petstore-fetch.d.ts':
        'export declare function petstoreFetch<T>(path: string, options?: RequestInit): Promise<T>;',
    },
    program: `import { ${OPERATIONS.join(', ')} } from './generated.js';
      ${USE_ALL}
      const headers = { Authorization: \`Bearer \${API_KEY}\` };
      const created = await createPet({ name: '7', categoryId: ${LARGE}n }, { headers });
      if (created.status !== 201) throw new Error(created.data.message);
      const pets = await listPets({ id: [created.data.id] }, { headers });
      if (pets.status === 200)
        console.log(created.data.categoryId, pets.data.map(({ name, categoryId }) => [name, categoryId]));`,
    printed: `${LARGE}n [ [ '7', ${LARGE}n ] ]\n`,
  },
};

/** Node.js 20 has `JSON.rawJSON` behind a flag. */
const FLAGS = JSON.rawJSON === undefined ? ['--harmony-json-parse-with-source'] : [];

const COMPILER_OPTIONS = ['--ignoreConfig', '--noEmit', '--strict', '--skipLibCheck', '--types', ''];
// Not with --exactOptionalPropertyTypes, which the runtime of hey-api does not pass.
const STRICTER = ['--noUncheckedIndexedAccess', '--noImplicitReturns', '--noImplicitOverride'];
const LANGUAGE = [
  '--allowImportingTsExtensions',
  '--target',
  'es2022',
  '--lib',
  'es2022,dom,dom.iterable',
  '--module',
  'esnext',
];

const folder = await mkdtemp(join(tmpdir(), 'petstore-generators-'));
// As root, PostgreSQL runs as another user, who has to enter it.
await chmod(folder, 0o755);
const service = await startService(join(folder, 'data'));
try {
  const large = await fetch(`${service.baseUrl}/pets`, {
    method: 'POST',
    headers: { authorization: `Bearer ${service.apiKey}`, 'content-type': 'application/json' },
    body: '{"name":"Large","categoryId":9007199254740993}',
  });
  if (!large.ok) throw new Error(`a pet was not created: ${large.status}`);
  for (const [name, generator] of Object.entries(GENERATORS)) await check(name, generator);
} finally {
  await service.stop();
  await rm(folder, { recursive: true });
}

async function check(
  name,
  { script, words, files = {}, program, rounded = ROUNDED, printed = printedWith(rounded) },
) {
  const own = join(folder, name.replaceAll(' ', '-'));
  try {
    await mkdir(own);
    await symlink(join(root, 'tools/node_modules'), join(own, 'node_modules'));
    for (const [path, text] of Object.entries(files))
      await writeFile(join(own, path), text.replace('http://localhost:3000/v1', service.baseUrl));
    await mustRun(name, script, words(own), { cwd: own });
    const file = join(own, 'use.ts');
    await writeFile(join(own, 'exact-fetch.js'), `export ${EXACT_FETCH}`);
    await writeFile(join(own, 'exact-fetch.d.ts'), 'export declare const exactFetch: typeof fetch;');
    await writeFile(
      file,
      `import { exactFetch } from './exact-fetch.js';
       declare const BASE_URL: string, API_KEY: string;
       ${program}`,
    );
    await mustRun(name, packageFile('@typescript/native', 'bin/tsc'), [
      ...[file, ...COMPILER_OPTIONS, ...STRICTER, ...LANGUAGE],
      ...['--moduleResolution', 'bundler'],
    ]);
    const outfile = join(own, 'use.mjs');
    const define = { BASE_URL: JSON.stringify(service.baseUrl), API_KEY: JSON.stringify(service.apiKey) };
    await build({
      entryPoints: [file],
      outfile,
      define,
      bundle: true,
      format: 'esm',
      platform: 'node',
      nodePaths: [join(root, 'node_modules')],
    });
    const [first, ...others] = [...FLAGS, outfile];
    const output = await mustRun(name, first, others);
    if (output !== printed) throw new Error(`${name}: its program printed ${output}`);
    console.log(`${name}: a client with all operations, which compiles and works`);
  } catch (error) {
    console.error(error.message);
    process.exitCode = 1;
  }
}

async function mustRun(name, script, words, options) {
  const { code, output } = await runScript(script, words, options);
  if (code !== 0) throw new Error(`${name}: ${output.trim()}`);
  return output;
}

/** The built service with a new database. */
async function startService(directory) {
  const environment = { PORT: '0', MANAGEMENT_PORT: '0', DATA_DIR: directory, LOG_LEVEL: 'warn' };
  const { PATH } = process.env;
  const stdio = ['ignore', 'pipe', 'inherit'];
  const child = spawn(execPath, ['dist/main.js'], { cwd: root, env: { PATH, ...environment }, stdio });
  const ended = once(child, 'exit');
  let text = '';
  await new Promise((resolve, reject) => {
    child.stdout.setEncoding('utf8').on('data', (more) => {
      text += more;
      if (text.includes('First request:')) resolve();
    });
    child.once('exit', () => reject(new Error('the service has not started')));
  });
  return {
    baseUrl: /http:\S+\/v1/.exec(text)?.[0],
    apiKey: /psk_\w+/.exec(text)?.[0],
    stop: () => {
      child.kill();
      return ended;
    },
  };
}
