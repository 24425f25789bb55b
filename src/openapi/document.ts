import type { DocumentedOperation } from './documented-operation.js';
import { HEADERS, headersOf, headersOfHeadErrors } from './headers.js';
import { bodySchemaOf, PARAMETERS, parametersOf } from './inputs.js';
import { ERROR_SCHEMA, Responses } from './responses.js';
import { type Json, NamedSchemas } from './schemas.js';

/** What the document says of the service as a whole. */
const INFO: Json = {
  title: 'Pet Store Service',
  version: '1.0.0',
  summary: 'The animals of a pet store, and the orders for them.',
  description: [
    'List, add and order the animals of a pet store. At `/docs` there is a guide, and a page to try each operation.',
    'Every request needs an API key: `Authorization: Bearer <key>`.',
    'Identifiers are integers of 64 bits, written as JSON numbers to the digit. In JavaScript, read what is beyond ' +
      '2^53 with a parser that keeps them, such as the typed client of this service does.',
    'Whatever is no success has an Error as its body, with a `code` out of a closed set. Every answer carries the ' +
      'state of its rate limits; after a 429 or a 503 wait for the seconds in `Retry-After`. A 503 to a ' +
      'write may leave its outcome unknown: repeat it with the same `Idempotency-Key`, and it is done once.',
    'Every `GET` also answers `HEAD`: the same status and headers, without a body. A path that does not exist is 404 ' +
      '`not_found`, and a path that does not offer the method is 405 `method_not_allowed` with `Allow`.',
    'Members that you do not know may join an answer: ignore them.',
  ].join('\n\n'),
  contact: { name: 'The team of the Pet Store Service' },
  license: { name: 'MIT', identifier: 'MIT' },
};

/** The groups of operations, in the order in which they are read. */
const TAGS = [
  { name: 'Pets', description: 'The animals of the store.' },
  { name: 'Store', description: 'Orders for animals, and how many there are.' },
  { name: 'Usage', description: 'What your API key has used of its limits.' },
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
    paths[path] = {
      ...paths[path],
      [operation.method]: described,
      ...(operation.method === 'get' && { head: describeHead(operation, described) }),
    };
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
          description: 'The API key: `Authorization: Bearer <key>`.',
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
      : `\n\nDeprecated: it is removed on ${removedOn} and answers 410 from then on. Use \`${deprecation.successor}\`.`;
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

/** The edge answers HEAD wherever it answers GET. */
function describeHead(operation: DocumentedOperation, get: Json): Json {
  const { id, notes, success } = operation;
  return {
    ...get,
    operationId: `${id}Head`,
    summary: `${notes.summary}: headers only`,
    description: 'The status and the headers of `GET`, without the body.',
    responses: {
      [success.status]: { description: 'It is there.', headers: headersOf(operation, success.status) },
      304: { description: 'What you have still holds.', headers: headersOf(operation, 304) },
      '4XX': { description: 'The error that `GET` answers.', headers: headersOfHeadErrors(operation) },
      '5XX': { description: 'The error that `GET` answers.', headers: headersOfHeadErrors(operation) },
    },
  };
}
