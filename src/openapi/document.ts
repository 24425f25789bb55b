import type { DocumentedOperation } from './documented-operation.js';
import { HEADERS } from './headers.js';
import { bodySchemaOf, PARAMETERS, parametersOf } from './inputs.js';
import { ERROR_SCHEMA, Responses } from './responses.js';
import { type Json, NamedSchemas } from './schemas.js';

/** The description of the service as a whole. */
const INFO: Json = {
  title: 'Pet Store Service',
  version: '1.0.0',
  summary: 'Manage the pets of a store and the orders for them.',
  description: [
    'List, add and order the pets of a store. The docs page at `/docs` has a guide and lets you try each operation.',
    'Every request needs an API key in the header `Authorization: Bearer <key>`.',
    'Identifiers are 64-bit integers, sent as JSON numbers. `JSON.parse` in JavaScript rounds numbers beyond 2^53: use a ' +
      'parser that keeps every digit, or the typed client of this service.',
    'Every error response has an Error as its body, with a `code` from a closed set. Every response has the rate-limit ' +
      'headers. After a 429 or 503, wait for the seconds in `Retry-After`. After a 503 the outcome of a write may be ' +
      'unknown: repeat it with the same `Idempotency-Key`, and it is executed only once.',
    'Every `GET` also supports `HEAD`, which returns the same status and headers without a body. An unknown path is 404 ' +
      '`not_found`. A method that a path does not support is 405 `method_not_allowed`, with `Allow`.',
    'Responses may gain new members: ignore members that you do not know.',
  ].join('\n\n'),
  contact: { name: 'The team of the Pet Store Service' },
  license: { name: 'MIT', identifier: 'MIT' },
};

/** The groups of operations, in the order in which they are read. */
const TAGS = [
  { name: 'Pets', description: 'The pets of the store.' },
  { name: 'Store', description: 'Orders for pets, and the inventory.' },
  { name: 'Usage', description: 'The limits of your API key and how much of them is used.' },
] as const;

/** Every operation's path begins with it; it belongs to the server's address, as the interface says. */
const BASE_PATH = '/v1';

/**
 * The OpenAPI 3.1 document of these operations, made from what serves them.
 *
 * @param serverUrl the base address of the operations, with its path
 */
export function createDocument(operations: readonly DocumentedOperation[], serverUrl: string): Json {
  const schemas = new NamedSchemas();
  schemas.use({ title: 'Error', ...ERROR_SCHEMA });
  const responses = new Responses(schemas);
  const paths: Record<string, Record<string, Json>> = {};
  for (const operation of inOrderOfTags(operations)) {
    const path = relativePath(operation);
    const described = describe(operation, schemas, responses);
    paths[path] = { ...paths[path], [operation.method]: described };
  }
  return {
    openapi: '3.1.0',
    info: INFO,
    servers: [{ url: serverUrl }],
    security: [{ apiKey: [] }],
    tags: TAGS.filter(({ name }) => operations.some(({ notes }) => notes.tag === name)),
    paths,
    components: {
      securitySchemes: {
        apiKey: {
          type: 'http',
          scheme: 'bearer',
          bearerFormat: 'psk_…',
          description: 'Send the API key in the header `Authorization: Bearer <key>`.',
        },
      },
      schemas: schemas.all,
      parameters: PARAMETERS,
      headers: HEADERS,
      responses: responses.shared,
    },
  };
}

function inOrderOfTags(operations: readonly DocumentedOperation[]): readonly DocumentedOperation[] {
  const lost = operations.find(({ notes }) => !TAGS.some(({ name }) => name === notes.tag));
  if (lost !== undefined) throw new Error(`${lost.id}: the tag ${lost.notes.tag} is unknown`);
  return TAGS.flatMap(({ name }) => operations.filter(({ notes }) => notes.tag === name));
}

function relativePath({ id, path }: DocumentedOperation): string {
  if (!path.startsWith(`${BASE_PATH}/`)) throw new Error(`${id} is not below ${BASE_PATH}`);
  return path.slice(BASE_PATH.length);
}

function describe(operation: DocumentedOperation, schemas: NamedSchemas, responses: Responses): Json {
  const { id, notes, deprecation } = operation;
  const removedOn = deprecation?.removedAt.toISOString().slice(0, 10);
  const ending =
    deprecation === undefined
      ? ''
      : `\n\nDeprecated. From ${removedOn} on it returns 410. Use \`${deprecation.successor}\` instead.`;
  const body = bodySchemaOf(operation, schemas);
  return {
    operationId: id,
    tags: [notes.tag],
    summary: notes.summary,
    description: notes.description + ending,
    ...(deprecation && { deprecated: true, 'x-sunset': removedOn }),
    parameters: parametersOf(operation, schemas),
    ...(body && {
      requestBody: {
        required: true,
        content: { 'application/json': { schema: body, example: notes.requestExample } },
      },
    }),
    responses: responses.of(operation),
  };
}
