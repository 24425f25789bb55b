import { readFile, readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { startService, type TestService } from '../support/service.js';
import { COMPILER, type InstalledClient, installClient } from './installed-client.js';

let service: TestService;
let client: InstalledClient;

beforeAll(async () => {
  [service, client] = await Promise.all([startService(), installClient()]);
});
afterAll(async () => {
  await Promise.all([service.close(), client.remove()]);
});

/** Uses what a front end would, with every strictness there is. */
const CONSUMER = `
import { type ErrorCode, type Page, type Pet, PetStore, PetStoreError } from '@petstore/client';

const store = new PetStore({ baseUrl: 'http://localhost:3000/v1', apiKey: 'psk_', retry: { attemptsMax: 1 } });
export async function names(signal: AbortSignal): Promise<string[]> {
  const page: Page<Pet> = await store.listPets({ limit: 5, status: 'available', signal });
  const id: bigint | undefined = page.items[0]?.id;
  // @ts-expect-error an identifier is no number
  const rounded: number | undefined = id;
  // @ts-expect-error the states of a pet are a closed set
  await store.createPet({ name: 'Rex', categoryId: 7n, status: 'asleep' });
  const all: string[] = [];
  for await (const pet of store.pets({ signal })) all.push(pet.name, String(rounded));
  return all;
}
export const codeOf = (error: unknown): ErrorCode | undefined =>
  error instanceof PetStoreError ? error.code : undefined;
`;

const OPTIONS = ['--noEmit', '--strict', '--exactOptionalPropertyTypes', '--noUncheckedIndexedAccess'];

describe('the client, packed and installed in a fresh folder', () => {
  it('runs the first example of its README as pasted', async () => {
    const readme = await readFile(join(client.packageFolder, 'README.md'), 'utf8');
    const [, example = ''] = /^```js\n(.*?)^```$/ms.exec(readme) ?? [];
    // The only change: the service of this test listens on another port.
    const pasted = example.replace('http://localhost:3000', service.origin);
    expect(pasted).not.toBe(example);
    const { key } = await service.issueKey();
    const printed = await client.node(['first.mjs'], { 'first.mjs': pasted }, { API_KEY: key });
    expect(printed).toMatch(/^1n Rex\n\{ available: 0n, pending: 1n, sold: 0n \}\npet_not_available 409\n$/);
    const { rows } = await service.pool.query<{ digits: string }>(
      'select category_id::text as digits from pets',
    );
    expect(rows).toEqual([{ digits: '9007199254740993' }]);
  });

  it.each([
    ['a bundler', 'esnext', 'bundler'],
    ['Node.js', 'nodenext', 'nodenext'],
  ])('has types that %s finds and that hold', async (_name, module, resolution) => {
    const args = [COMPILER, ...OPTIONS, '--module', module, '--moduleResolution', resolution];
    await client.node([...args, '--target', 'es2022', '--lib', 'es2022,dom', '--types', '', 'use.mts'], {
      'use.mts': CONSUMER,
    });
  });

  it('brings what it needs and nothing else', async () => {
    const manifest = await readFile(join(client.packageFolder, 'package.json'), 'utf8');
    expect(JSON.parse(manifest)).not.toHaveProperty('dependencies');
    expect((await readdir(client.packageFolder)).sort()).toEqual(['README.md', 'dist', 'package.json']);
  });
});
