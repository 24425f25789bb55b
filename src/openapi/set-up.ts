import type { NestFastifyApplication } from '@nestjs/platform-fastify';
import type { Config } from '../config/config.js';
import { CONFIG } from '../config/config.module.js';
import { BASE_PATH } from './complete-document.js';
import { createDocument } from './create-document.js';
import { ServedDocument } from './served-document.js';

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
