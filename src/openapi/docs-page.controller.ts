import { Controller, Get, Req, Res } from '@nestjs/common';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { ApiError } from '../http/api-error.js';
import { Public } from '../http/public.decorator.js';
import { PAGE_FILES } from './page-files.js';

/** Nothing from another host, nothing inline, no frames: a key that is typed into the page can leave it to this service alone. */
const SECURITY_HEADERS = {
  'content-security-policy': [
    "default-src 'none'",
    "script-src 'self'",
    "style-src 'self'",
    "connect-src 'self'",
    "img-src 'self' data:",
    "frame-ancestors 'none'",
    "base-uri 'none'",
    "form-action 'none'",
  ].join('; '),
  'x-content-type-options': 'nosniff',
  'x-frame-options': 'DENY',
  'referrer-policy': 'no-referrer',
  'cross-origin-opener-policy': 'same-origin',
  'permissions-policy': 'camera=(), geolocation=(), microphone=()',
};

/** The docs page, for people: a guide, the reference, and a form to try each operation. */
@Controller()
export class DocsPageController {
  @Get([...PAGE_FILES.keys()])
  @Public()
  read(@Req() request: FastifyRequest, @Res({ passthrough: true }) reply: FastifyReply): string {
    const file = PAGE_FILES.get(request.routeOptions.url ?? '');
    if (file === undefined) throw new ApiError('not_found');
    reply.headers({
      ...SECURITY_HEADERS,
      'cache-control': 'public, no-cache',
      'content-type': file.mediaType,
    });
    return file.text;
  }
}
