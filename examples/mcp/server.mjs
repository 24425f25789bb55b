#!/usr/bin/env node
// The Pet Store Service as tools for assistants, by the Model Context Protocol: over stdio, or stateless over HTTP with --http PORT.
// Tools that write are there with --write alone. PETSTORE_KEY is the API key, PETSTORE_URL the service.
import { createServer } from 'node:http';
import { env } from 'node:process';
import { parseArgs } from 'node:util';
import {
  localhostHostValidation,
  localhostOriginValidation,
  toNodeHandler,
} from '@modelcontextprotocol/node';
import { createMcpHandler, McpServer } from '@modelcontextprotocol/server';
import { serveStdio } from '@modelcontextprotocol/server/stdio';
import { isPetStoreError, ORDER_STATUSES, PET_STATUSES, PetStore } from '@petstore/client';
import { z } from 'zod';

const { values: options } = parseArgs({ options: { http: { type: 'string' }, write: { type: 'boolean' } } });

/** One for all tools: it knows how many requests the key has left, and lets calls wait. An assistant that waits longer gives up. */
const { PETSTORE_URL = 'http://localhost:3000/v1', PETSTORE_KEY = '' } = env;
const store = new PetStore({ baseUrl: PETSTORE_URL, apiKey: PETSTORE_KEY, maxRetryWaitMs: 20_000 });

/** Text, because a model and most parsers of JSON round numbers beyond 2^53. */
const int64 = z.string().regex(/^-?\d{1,19}$/, 'must be a 64-bit integer');
const id = { id: int64 };
const text = z.string().min(1);
const petStatus = z.enum(PET_STATUSES);
const orderStatus = z.enum(ORDER_STATUSES);
const pet = { name: text, categoryId: int64, status: petStatus.optional() };
const page = {
  sort: z.enum(['id', '-id']).describe('"-id": the newest first'),
  limit: z.int().min(1).max(100),
  cursor: z.string().describe('`next` of the page before, with the same filters'),
};
const petQuery = { ...page, id: z.array(int64), status: z.array(petStatus), categoryId: int64 };
const orderQuery = { ...page, status: z.array(orderStatus), petId: int64 };

/**
 * Returns what adds a tool to a server. Its result is what the call of the client resolves to, or the error with its code.
 *
 * @template {z.ZodRawShape} Shape
 * @param {string} description
 * @param {Shape} shape
 * @param {(input: z.output<z.ZodObject<Shape>>, call: { signal: AbortSignal }) => Promise<unknown>} run
 * @returns {(server: McpServer, name: string, isRead: boolean) => void}
 */
const tool = (description, shape, run) => (server, name, readOnlyHint) => {
  const config = { description, inputSchema: z.strictObject(shape), annotations: { readOnlyHint } };
  server.registerTool(name, config, async (input, { mcpReq: { signal } }) => {
    try {
      return { content: contentOf(await run(/** @type {never} */ (input), { signal })) };
    } catch (error) {
      if (!isPetStoreError(error)) throw error;
      const { code, message, fields, retryAfterSeconds } = error;
      return { isError: true, content: contentOf({ code, message, fields, retryAfterSeconds }) };
    }
  });
};

/** @param {unknown} value */
const contentOf = (value) => [{ type: /** @type {const} */ ('text'), text: JSON.stringify(value ?? null) }];

/** @template {z.ZodRawShape} Shape @param {Shape} shape */
const optional = (shape) => z.object(shape).partial().shape;

const READS = {
  list_pets: tool('Lists pets that pass all filters', optional(petQuery), (query, call) =>
    store.listPets({ ...query, ...call }),
  ),
  find_pet: tool('Reads a pet, or nothing', id, (input, call) => store.findPet(input.id, call)),
  list_categories: tool('Lists names of categories', optional({ ...page, name: text }), (query, call) =>
    store.listCategories({ ...query, ...call }),
  ),
  get_category: tool('Reads a category', id, (input, call) => store.getCategory(input.id, call)),
  list_orders: tool('Lists orders that pass all filters', optional(orderQuery), (query, call) =>
    store.listOrders({ ...query, ...call }),
  ),
  get_order: tool('Reads an order', id, (input, call) => store.getOrder(input.id, call)),
  inventory: tool('Counts pets by status', {}, (_input, call) => store.inventory(call)),
  usage: tool('Reads plan, limits and usage of the API key', {}, (_input, call) => store.usage(call)),
};

const WRITES = {
  create_pet: tool('Adds a pet', pet, (input, call) => store.createPet(input, call)),
  change_pet: tool('Changes a pet', { ...id, ...optional(pet) }, (input, call) =>
    store.changePet(input.id, input, call),
  ),
  delete_pet: tool('Deletes a pet', id, (input, call) => store.deletePet(input.id, call)),
  put_category: tool('Names a category', { ...id, name: text }, (input, call) =>
    store.putCategory(input.id, input, call),
  ),
  delete_category: tool('Deletes a category', id, (input, call) => store.deleteCategory(input.id, call)),
  place_order: tool('Orders an available pet', { petId: int64 }, (input, call) =>
    store.placeOrder(input.petId, call),
  ),
  change_order: tool(
    'Approves, delivers or cancels an order',
    { ...id, status: orderStatus },
    (input, call) => store.changeOrder(input.id, input.status, call),
  ),
};

function serverWithTools() {
  const server = new McpServer({ name: 'petstore', version: '1.0.0' });
  for (const [name, add] of Object.entries(READS)) add(server, name, true);
  if (options.write === true) for (const [name, add] of Object.entries(WRITES)) add(server, name, false);
  return server;
}

if (options.http === undefined) serveStdio(serverWithTools);
else {
  const handle = toNodeHandler(createMcpHandler(serverWithTools));
  // A page of another host, which a browser may show, must not use the key.
  const guards = [localhostHostValidation(), localhostOriginValidation()];
  const server = createServer((request, response) => {
    if (guards.every((isLocal) => isLocal(request, response)))
      void handle(/** @type {never} */ (request), response);
  });
  server.listen(Number(options.http), '127.0.0.1', () => console.error('Listening:', server.address()));
}
