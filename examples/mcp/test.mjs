// npm test: an assistant, as the SDK's own client, buys a pet of the service at PETSTORE_URL with PETSTORE_KEY, over stdio and over HTTP.
import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { env, execPath } from 'node:process';
import { Client, StreamableHTTPClientTransport } from '@modelcontextprotocol/client';
import { StdioClientTransport } from '@modelcontextprotocol/client/stdio';

const { PATH = '', PETSTORE_URL = 'http://localhost:3000/v1', PETSTORE_KEY = '' } = env;
const environment = { PATH, PETSTORE_URL, PETSTORE_KEY };
const SERVER = join(import.meta.dirname, 'server.mjs');

/** Beyond what a number holds. */
const CATEGORY = '9007199254740993';

/** @param {import('@modelcontextprotocol/client').Transport} transport @param {(client: Client) => Promise<void>} use */
async function withClient(transport, use) {
  const client = new Client({ name: 'test', version: '1.0.0' });
  await client.connect(transport);
  await use(client);
  await client.close();
}

/** Returns what a tool says. @param {Client} client @param {string} name @param {Record<string, unknown>} input @returns {Promise<any>} */
async function call(client, name, input) {
  const { content, isError } = await client.callTool({ name, arguments: input });
  const [part] = content;
  assert(part?.type === 'text');
  return isError === true ? { error: part.text } : JSON.parse(part.text);
}

/** @param {Client} client */
async function buy(client) {
  const created = await call(client, 'create_pet', {
    name: 'Rex',
    categoryId: CATEGORY,
    status: 'available',
  });
  assert.equal(created.categoryId, CATEGORY);
  const { items } = await call(client, 'list_pets', { categoryId: CATEGORY, sort: '-id', limit: 1 });
  assert.deepEqual(items, [created]);
  const order = await call(client, 'place_order', { petId: created.id });
  assert.deepEqual([order.petId, order.status], [created.id, 'placed']);
  for (const status of ['approved', 'delivered'])
    assert.equal((await call(client, 'change_order', { id: order.id, status })).status, status);
  assert.equal((await call(client, 'find_pet', { id: created.id })).status, 'sold');
  const again = await call(client, 'place_order', { petId: created.id });
  assert.match(again.error, /"code":"pet_not_available".*"field":"petId"/);
  assert.match((await call(client, 'place_order', { petId: 7 })).error, /petId/);
  assert.equal(await call(client, 'find_pet', { id: '-1' }), null);
}

/** @param {...string} words */
const stdio = (...words) =>
  new StdioClientTransport({ command: execPath, args: [SERVER, ...words], env: environment });

await withClient(stdio('--write'), buy);

await withClient(stdio(), async (client) => {
  const { tools } = await client.listTools();
  assert(tools.length >= 8 && tools.every(({ annotations }) => annotations?.readOnlyHint === true));
  for (const name of ['inventory', 'usage', 'list_categories', 'list_orders']) await call(client, name, {});
});

const server = spawn(execPath, [SERVER, '--http', '0', '--write'], {
  env: environment,
  stdio: ['ignore', 'inherit', 'pipe'],
});
try {
  const [line] = await once(server.stderr, 'data');
  const url = new URL(`http://127.0.0.1:${/port: (\d+)/.exec(String(line))?.[1]}`);
  await withClient(new StreamableHTTPClientTransport(url), buy);
  const foreign = await fetch(url, {
    method: 'POST',
    headers: { origin: 'https://elsewhere.example' },
    body: '{}',
  });
  assert.equal(foreign.status, 403);
} finally {
  server.kill();
}
console.log('bought two pets, over stdio and over HTTP');
