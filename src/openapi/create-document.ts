import type { INestApplication } from '@nestjs/common';
import { DocumentBuilder, SwaggerModule } from '@nestjs/swagger';
import { BASE_PATH, completeDocument } from './complete-document.js';
import type { OpenApi } from './json.js';
import type { NestFastifyApplication } from '@nestjs/platform-fastify';
import { type Config, releaseVersion } from '../config/config.js';
import { CONFIG } from '../config/config.module.js';
import { ServedDocument } from './served-document.js';

const DESCRIPTION = [
  'Identifiers are 64-bit integers, sent as JSON numbers. `JSON.parse` in JavaScript rounds numbers beyond 2^53: use a ' +
    'parser that keeps every digit, or the typed client of this service. The docs page has a `fetch` for generated clients that fails ' +
    'instead of rounding.',
  'List, add and order the pets of a store. The docs page at `/docs` has a guide and lets you try each operation.',
  'Every request needs an API key in the header `Authorization: Bearer <key>`.',
  'Every error response has an Error as its body, with a `code` from a closed set. A client whose `Accept` prefers ' +
    '`application/problem+json` gets problem details (RFC 9457) instead, which also name the fields that are wrong: the ' +
    'schema Problem. Every response has the rate-limit headers. After a 429 or 503, wait for the seconds in `Retry-After`. ' +
    'After a 503 the outcome of a write may be unknown: repeat it with the same `Idempotency-Key`, and it is executed only once.',
  'Every `GET` also supports `HEAD`, which returns the same status and headers without a body. An unknown path is 404 ' +
    '`not_found`. A method that a path does not support is 405 `method_not_allowed`, with `Allow`.',
  '`GET /health`, next to `/docs`, needs no key and has no limit: 200 while the service is ready for requests, else 503.',
  'Responses may gain new members: ignore members that you do not know.',
].join('\n\n');

/**
 * The OpenAPI 3.1 document of an application, from the decorators of its controllers and DTOs. It may be made before the
 * application is initialised.
 *
 * @param serverUrl the base address of the operations, with its path
 */
export function createDocument(app: INestApplication, serverUrl: string): OpenApi {
  const base = new DocumentBuilder()
    .setOpenAPIVersion('3.1.0')
    .setTitle('Pet Store Service')
    .setVersion(releaseVersion())
    .setDescription(DESCRIPTION)
    .addServer(serverUrl)
    .addTag('Pets', 'The pets of the store.')
    .addTag('Categories', 'The names of the categories that pets refer to.')
    .addTag('Store', 'Orders for pets, and the inventory.')
    .addTag('Usage', 'The limits of your API key and how much of them is used.')
    .addBearerAuth(
      {
        type: 'http',
        bearerFormat: 'psk_…',
        description: 'Send the API key in the header `Authorization: Bearer <key>`.',
      },
      'apiKey',
    )
    .build();
  // Two members of 3.1 that the builder lacks.
  const info = {
    ...base.info,
    summary: 'Manage the pets of a store and the orders for them.',
    contact: { name: 'The team of the Pet Store Service' },
    license: { name: 'MIT', identifier: 'MIT' },
  };
  const document = SwaggerModule.createDocument(
    app,
    { ...base, info },
    { operationIdFactory: (_controller, method) => method },
  );
  return completeDocument(document);
}

/** Makes the OpenAPI document of an application, and redirects to the docs page. */
export function setUpOpenApi(app: NestFastifyApplication): void {
  const { publicUrl } = app.get<Config>(CONFIG);
  const fastify = app.getHttpAdapter().getInstance();
  app.get(ServedDocument).document = createDocument(app, `${publicUrl}${BASE_PATH}`);
  const location = `${publicUrl}/docs`;
  // Nest removes the slash from the end of a path.
  for (const path of ['/', '/docs/']) {
    fastify.get(path, { config: { public: true, operation: 'redirectToDocs' } }, ({ decision }, reply) => {
      if (decision?.rejection !== undefined) throw decision.rejection;
      return reply.code(308).headers({ location, 'cache-control': 'public, no-cache' }).send();
    });
  }
}
