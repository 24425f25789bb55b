import { readdirSync, readFileSync } from 'node:fs';
import { extname } from 'node:path';
import { fileURLToPath } from 'node:url';
import { Controller, Get, type OnModuleInit, Req, Res } from '@nestjs/common';
import { ApiExcludeController } from '@nestjs/swagger';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { ApiError } from '../common/errors/api-error.js';
import type { Headers } from '../common/headers.js';
import { Public } from '../common/route.decorators.js';
import { EncodedText } from './encoded-text.js';

/** A file of the docs page, held in memory. */
interface PageFile {
  readonly mediaType: string;
  readonly text: EncodedText;
}

/** The same from src/openapi and, copied by the build, from dist/openapi. */
const DIRECTORY = new URL('./page/', import.meta.url);

const MEDIA_TYPES: Readonly<Record<string, string>> = {
  '.html': 'text/html; charset=utf-8',
  '.css': 'text/css; charset=utf-8',
  '.js': 'text/javascript; charset=utf-8',
  '.svg': 'image/svg+xml; charset=utf-8',
};

/** The files of the docs page by the path that each is served at; `/docs` itself is index.html. */
const PAGE_FILES: ReadonlyMap<string, PageFile> = new Map(
  readdirSync(DIRECTORY).flatMap((name): [string, PageFile][] => {
    const mediaType = MEDIA_TYPES[extname(name)];
    if (mediaType === undefined) return [];
    const text = new EncodedText(readFileSync(fileURLToPath(new URL(name, DIRECTORY)), 'utf8'));
    return [[name === 'index.html' ? '/docs' : `/docs/${name}`, { mediaType, text }]];
  }),
);

/** Nothing from another host, nothing inline, no frames: a key that is typed into the page can leave it to this service alone. */
const CONTENT_SECURITY_POLICY = [
  "default-src 'none'",
  "script-src 'self'",
  "style-src 'self'",
  "connect-src 'self'",
  "img-src 'self' data:",
  "frame-ancestors 'none'",
  "base-uri 'none'",
  "form-action 'none'",
  // The page makes elements, never HTML out of text: what would, fails.
  "require-trusted-types-for 'script'",
  "trusted-types 'none'",
].join('; ');

/** The page needs none of them. It does write to the clipboard. */
const DISABLED_FEATURES = [
  ...['accelerometer', 'autoplay', 'browsing-topics', 'camera', 'display-capture', 'encrypted-media'],
  ...['fullscreen', 'geolocation', 'gyroscope', 'hid', 'magnetometer', 'microphone', 'midi', 'payment'],
  ...['publickey-credentials-get', 'screen-wake-lock', 'serial', 'usb', 'xr-spatial-tracking'],
];

/**
 * Headers of the docs page and its files. `Strict-Transport-Security` is missing: browsers ignore it over plain HTTP, so the
 * proxy that terminates TLS sends it.
 */
const DOCS_PAGE_HEADERS: Headers = {
  'content-security-policy': CONTENT_SECURITY_POLICY,
  'x-content-type-options': 'nosniff',
  // For browsers that do not know frame-ancestors.
  'x-frame-options': 'DENY',
  'referrer-policy': 'no-referrer',
  'cross-origin-opener-policy': 'same-origin',
  'cross-origin-resource-policy': 'same-origin',
  'origin-agent-cluster': '?1',
  'permissions-policy': DISABLED_FEATURES.map((feature) => `${feature}=()`).join(', '),
};

/** The docs page, for people: a guide, the reference, and a form to try each operation. */
@ApiExcludeController()
@Controller()
export class DocsPageController implements OnModuleInit {
  /** Compresses the files, so that the first reader does not wait for it. */
  async onModuleInit(): Promise<void> {
    await Promise.all([...PAGE_FILES.values()].map(({ text }) => text.encode()));
  }

  @Get([...PAGE_FILES.keys()])
  @Public()
  async readDocs(
    @Req() request: FastifyRequest,
    @Res({ passthrough: true }) reply: FastifyReply,
  ): Promise<string | Buffer> {
    const file = PAGE_FILES.get(request.routeOptions.url ?? '');
    if (file === undefined) throw new ApiError('not_found');
    reply.headers({
      ...DOCS_PAGE_HEADERS,
      'cache-control': 'public, no-cache',
      'content-type': file.mediaType,
    });
    return await file.text.for(request, reply);
  }
}
