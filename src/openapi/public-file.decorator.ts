import { applyDecorators, Get, Header } from '@nestjs/common';
import { Public } from '../auth/route-config.js';

/** A public file: caches may store it, but must revalidate each time. */
export const PublicFile = (path: string, mediaType: string): MethodDecorator =>
  applyDecorators(
    Get(path),
    Public(),
    Header('content-type', mediaType),
    Header('cache-control', 'public, no-cache'),
    Header('x-content-type-options', 'nosniff'),
  );
