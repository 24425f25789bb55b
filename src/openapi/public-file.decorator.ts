import { applyDecorators, Get, Header } from '@nestjs/common';
import { Public } from '../auth/route-config.js';

/** A file that anybody may read and store, and must revalidate each time. */
export const PublicFile = (path: string, mediaType: string): MethodDecorator =>
  applyDecorators(
    Get(path),
    Public(),
    Header('content-type', mediaType),
    Header('cache-control', 'public, no-cache'),
    Header('x-content-type-options', 'nosniff'),
  );
