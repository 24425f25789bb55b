import { Controller, Get, Req, Res } from '@nestjs/common';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { ApiError } from '../errors/api-error.js';
import { Public } from '../http/route.decorators.js';
import { DOCS_PAGE_HEADERS } from './docs-page.headers.js';
import { PAGE_FILES } from './page-files.js';

/** The docs page, for people: a guide, the reference, and a form to try each operation. */
@Controller()
export class DocsPageController {
  @Get([...PAGE_FILES.keys()])
  @Public()
  readDocs(@Req() request: FastifyRequest, @Res({ passthrough: true }) reply: FastifyReply): string {
    const file = PAGE_FILES.get(request.routeOptions.url ?? '');
    if (file === undefined) throw new ApiError('not_found');
    reply.headers({
      ...DOCS_PAGE_HEADERS,
      'cache-control': 'public, no-cache',
      'content-type': file.mediaType,
    });
    return file.text;
  }
}
