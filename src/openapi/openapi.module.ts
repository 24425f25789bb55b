import { Module } from '@nestjs/common';
import { ClientPackageController } from './client-package.controller.js';
import { DocsPageController } from './docs-page.controller.js';
import { DocumentController } from './document.controller.js';
import { ServedDocument } from './served-document.js';

/** The service's own description, for machines and for people. */
@Module({
  controllers: [DocumentController, DocsPageController, ClientPackageController],
  providers: [ServedDocument],
})
export class OpenApiModule {}
