import { Controller, Get, type OnModuleInit, Res } from '@nestjs/common';
import { ApiExcludeController } from '@nestjs/swagger';
import type { FastifyReply } from 'fastify';
import { ApiError } from '../errors/api-error.js';
import { PAGE_HEADERS, readPageFiles } from '../pages/page-files.js';
import { PartOfPage, Public } from '../auth/route-config.js';
import { EncodedText } from './encoded-text.js';

const PAGE = '/docs';

/** The files of the docs page by the path that each is served at; `/docs` itself is index.html. The build copies them to dist. */
const PAGE_FILES = new Map(
  readPageFiles('docs').map(({ name, mediaType, text }) => [
    name === 'index.html' ? PAGE : `${PAGE}/${name}`,
    { mediaType, text: new EncodedText(text) },
  ]),
);
const icon = PAGE_FILES.get(`${PAGE}/icon.svg`);
// Browsers request it for pages without an icon, such as a JSON response.
if (icon !== undefined) PAGE_FILES.set('/favicon.ico', icon);

/** The docs page, for people: a guide, the reference, and a form to try each operation. */
@ApiExcludeController()
@Controller()
export class DocsPageController implements OnModuleInit {
  /** Compresses the files, so that the first request does not wait. */
  async onModuleInit(): Promise<void> {
    await Promise.all([...PAGE_FILES.values()].map(({ text }) => text.encode()));
  }

  @Get(PAGE)
  @Public()
  async readDocs(@Res({ passthrough: true }) reply: FastifyReply): Promise<string | Buffer> {
    const file = PAGE_FILES.get(reply.request.routeOptions.url ?? '');
    if (file === undefined) throw new ApiError('not_found');
    reply.headers({
      ...PAGE_HEADERS,
      'cache-control': 'public, no-cache',
      'content-type': file.mediaType,
    });
    return await file.text.for(reply);
  }

  @Get([...PAGE_FILES.keys()].filter((path) => path !== PAGE))
  @PartOfPage('readDocs')
  readPart(@Res({ passthrough: true }) reply: FastifyReply): Promise<string | Buffer> {
    return this.readDocs(reply);
  }
}
