import { readFile, readdir, stat } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import { gzipSync } from 'node:zlib';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { build } from 'esbuild';
import { startService, type TestService } from '../support/service.js';
import { COMPILER, type InstalledClient, installClient } from './installed-client.js';

let service: TestService;
let client: InstalledClient;

beforeAll(async () => {
  [service, client] = await Promise.all([startService(), installClient()]);
});
afterAll(async () => {
  await Promise.all([service.close(), client.close()]);
});

/** Uses what a front end would, with every strictness there is. */
const CONSUMER = `
import {
  type Call, type Cursor, type ErrorCode, isPetStoreError, NOT_MODIFIED, ORDER_STATUSES, type Page, type Pet, PET_STATUSES, type PetStatus, PetStore, PetStoreError,
} from '@petstore/client';

const options = { baseUrl: 'http://localhost:3000/v1', apiKey: 'psk_', maxRetries: 0, timeoutMs: 500 };
const store = new PetStore(options);
export async function names(signal: AbortSignal): Promise<string[]> {
  const page: Page<Pet> = await store.listPets({ limit: 5, status: ['available', 'sold'], signal });
  const id: string | undefined = page.items[0]?.id;
  const call: Call<Pet<bigint>> = new PetStore({ ...options, int64: 'bigint' }).getPet(id ?? 7);
  const exact: bigint = (await call).id;
  // @ts-expect-error identifiers are bigint here
  const rounded: number = (await call.withResponse()).value.id;
  const small: number = (await new PetStore({ ...options, int64: 'number' }).placeOrder(exact)).petId;
  // @ts-expect-error the statuses of a pet that is sent are a closed set
  await store.createPet({ name: 'Rex', categoryId: 7, status: 'asleep' });
  // What it returns it accepts.
  const [pet] = page.items;
  if (pet !== undefined) {
    await store.changePet(pet.id, { status: pet.status });
    await store.createPet(pet);
    await store.listPets({ status: pet.status, categoryId: pet.categoryId });
    if (pet.status !== undefined) for await (const _ of store.pets({ status: [pet.status, ...PET_STATUSES] })) break;
  }
  const order = await store.placeOrder(7);
  await store.changeOrder(order.id, order.status);
  // @ts-expect-error a word that no order has
  await store.changeOrder(order.id, 'lost');
  const words: readonly PetStatus[] = PET_STATUSES;
  const cursor: Cursor = page.next === undefined ? {} : { cursor: page.next };
  await store.listPets({ ...cursor, signal });
  const read = await store.getOrder(order.id, { ifNoneMatch: '"1"', headers: { 'x-request-id': 'a' } });
  // @ts-expect-error it may not have been modified
  const placed: string = read.placedAt;
  const shown: string = read === NOT_MODIFIED ? 'as before' : read.placedAt;
  const always: string = (await store.getOrder(order.id)).placedAt;
  const { response } = await store.getOrder(order.id, { signal }).withResponse();
  const again = await store.getOrder(order.id, { ifNoneMatch: response.etag });
  if (again !== NOT_MODIFIED) console.log(again.placedAt);
  const pages = await store.listPets({ limit: 5, ifNoneMatch: response.etag });
  // @ts-expect-error they may not have been modified
  console.log(pages.items);
  type Result = Awaited<ReturnType<PetStore['getPet']>>;
  const plain: Result = { id: '1', name: 'Rex', categoryId: '7' };
  // @ts-expect-error no such filter
  await store.listPets({ limit: 10, statsu: 'sold' });
  // @ts-expect-error no such option
  await store.findPet('1', { sigal: signal });
  const all: string[] = [String(rounded + small), ...words, ...ORDER_STATUSES, placed, shown, always, plain.name];
  for await (const pet of store.pets({ signal })) all.push(pet.name, pet.status === 'adopted' ? '' : pet.id);
  for await (const { items } of store.orders().pages()) all.push(...items.map(({ placedAt }) => placedAt));
  return all;
}
export const codeOf = (error: unknown): ErrorCode | undefined =>
  error instanceof PetStoreError ? error.code : undefined;
export const fieldsOf = (error: unknown): Record<string, string> =>
  isPetStoreError(error) ? Object.fromEntries(error.fields.map(({ field, message }) => [field, message])) : {};
`;

const OPTIONS = ['--noEmit', '--strict', '--exactOptionalPropertyTypes', '--noUncheckedIndexedAccess'];
/** What has the types of `fetch`: its README names both. */
const OF_DOM = ['--lib', 'es2022,dom', '--types', ''];
const OF_NODE = ['--lib', 'es2022', '--types', 'node', '--typeRoots', resolve('node_modules/@types')];

describe('the client, packed and installed in a fresh folder', () => {
  it('runs the first example of its README as pasted', async () => {
    const readme = await readFile(join(client.packageFolder, 'README.md'), 'utf8');
    const [, example = ''] = /^```js\n(.*?)^```$/ms.exec(readme) ?? [];
    // The only change: the service of this test listens on another port.
    const pasted = example.replace('http://localhost:3000', service.origin);
    expect(pasted).not.toBe(example);
    const { key } = await service.issueKey();
    const printed = await client.node(['first.mjs'], { 'first.mjs': pasted }, { PETSTORE_KEY: key });
    expect(printed).toMatch(/^1 Rex\n\{ available: 0, pending: 1, sold: 0 \}\npet_not_available 409\n$/);
    const { rows } = await service.pool.query<{ digits: string }>(
      'select category_id::text as digits from pets',
    );
    expect(rows).toEqual([{ digits: '9007199254740993' }]);
  });

  it.each([
    ['a bundler', ['--module', 'esnext', '--moduleResolution', 'bundler', ...OF_DOM], 'use.mts'],
    ['an ES module of Node.js', ['--module', 'nodenext', ...OF_NODE], 'use.mts'],
    ['a CommonJS module', ['--module', 'nodenext', ...OF_DOM], 'use.cts'],
  ])('has types that %s finds and that hold', async (_name, options, file) => {
    await client.node([COMPILER, ...OPTIONS, '--target', 'es2022', ...options, file], { [file]: CONSUMER });
  });

  it('is what the service serves, under the name that its docs page and README have', async () => {
    const { version } = JSON.parse(await readFile('client/package.json', 'utf8')) as { version: string };
    const name = `petstore-client-${version}.tgz`;
    const served = await service.fetch(`/client/${name}`);
    expect(Buffer.from(await served.arrayBuffer())).toEqual(await readFile(`dist/client/${name}`));
    for (const file of ['client/README.md', 'src/pages/docs/index.html'])
      expect(await readFile(file, 'utf8')).toContain(`http://localhost:3000/client/${name}`);
  });

  it('knows its errors from another copy, another thread and JSON', async () => {
    const script = `
      import { createRequire } from 'node:module';
      import * as esm from '@petstore/client';
      const cjs = createRequire(import.meta.url)('@petstore/client');
      const errors = [];
      for (const { PetStore } of [esm, cjs]) {
        const store = new PetStore({ baseUrl: '${service.origin}/v1', apiKey: 'psk_x', maxRetries: 0 });
        errors.push(await store.usage().catch((error) => error), await store.getOrder('x').catch((error) => error));
      }
      console.log(esm.NOT_MODIFIED === cjs.NOT_MODIFIED);
      for (const error of errors)
        for (const one of [error, structuredClone(error.toJSON()), JSON.parse(JSON.stringify(error))])
          console.log(esm.isPetStoreError(one) && cjs.isPetStoreError(one), one.code, one.status, one.fields.length, one.requestId?.length > 9);
      for (const other of [new Error('x'), new TypeError('x'), null, undefined, 'x', {}, { code: 'x' }])
        console.log(esm.isPetStoreError(other));`;
    const printed = await client.node(['use.mjs'], { 'use.mjs': script });
    const lines = ['true invalid_api_key 401 0 true', 'true invalid_input 0 1 false'];
    const errors = lines.map((line) => `${line}\n`.repeat(3)).join('');
    expect(printed).toBe(`true\n${errors.repeat(2)}${'false\n'.repeat(7)}`);
  });

  it('is at most 7 kB, minified and compressed', async () => {
    const entryPoints = [join(client.packageFolder, 'dist/esm/index.js')];
    const { outputFiles } = await build({
      ...{ entryPoints, bundle: true, minify: true, format: 'esm', write: false },
    });
    expect(gzipSync(outputFiles[0]?.contents ?? '').length).toBeLessThanOrEqual(7 * 1024);
  });

  it('has types of at most 64 kB, for both kinds of modules together', async () => {
    const files = await readdir(client.packageFolder, { recursive: true });
    const types = files.filter((file) => file.endsWith('.d.ts'));
    const sizes = await Promise.all(types.map((file) => stat(join(client.packageFolder, file))));
    expect(sizes.length).toBeGreaterThan(2);
    expect(sizes.reduce((sum, { size }) => sum + size, 0)).toBeLessThanOrEqual(64 * 1024);
  });

  it('brings what it needs and nothing else', async () => {
    const manifest = await readFile(join(client.packageFolder, 'package.json'), 'utf8');
    expect(JSON.parse(manifest)).not.toHaveProperty('dependencies');
    expect(JSON.parse(manifest)).not.toHaveProperty('private');
    expect((await readdir(client.packageFolder)).sort()).toEqual([
      ...['CHANGELOG.md', 'LICENSE', 'README.md', 'dist', 'package.json'],
    ]);
    const map = await readFile(join(client.packageFolder, 'dist/esm/index.js.map'), 'utf8');
    expect(JSON.parse(map)).toMatchObject({
      sources: [expect.any(String)],
      sourcesContent: [expect.any(String)],
    });
  });
});
