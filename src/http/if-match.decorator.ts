import { createParamDecorator, type ExecutionContext } from '@nestjs/common';
import type { FastifyRequest } from 'fastify';
import { parseIfMatch } from './answer/etag.js';

/**
 * The tags of which the record that a write changes must have one, for the write to compare under the lock of the row;
 * undefined when any will do. Reads need nothing: their `If-Match` is evaluated with their response.
 */
export const RequestIfMatch = createParamDecorator(
  (_data: unknown, context: ExecutionContext): readonly string[] | undefined => {
    const header = context.switchToHttp().getRequest<FastifyRequest>().headers['if-match'];
    const condition = header === undefined ? '*' : parseIfMatch(header);
    return condition === '*' ? undefined : condition;
  },
);
