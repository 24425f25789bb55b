import type { NestFastifyApplication } from '@nestjs/platform-fastify';
import { PublicUrl } from '../common/public-url.js';
import { BASE_PATH } from './complete-document.js';
import { createDocument } from './document.js';
import { OpenApiDocument } from './openapi-document.js';
import { followDocument } from './follow-document.js';

/** Makes the OpenAPI document of an application, and has its responses written by it. To be called before `app.init()`. */
export function setUpOpenApi(app: NestFastifyApplication): void {
  const document = createDocument(app, app.get(PublicUrl).to(BASE_PATH));
  followDocument(document, app.getHttpAdapter().getInstance());
  app.get(OpenApiDocument).document = document;
}
