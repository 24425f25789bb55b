import { createParamDecorator, type ExecutionContext } from '@nestjs/common';
import type { FastifyRequest } from 'fastify';

/**
 * What a request may wait for the database, its admission and its statements together. It leaves 100 ms of the two seconds in
 * which a request has its response.
 */
export const DATABASE_WAIT_MS = 1900;

/**
 * The moment of `performance.now()` by which the request's statements have to be done. The arrival of its body, which the client
 * may take its time for, does not count.
 */
export const RequestDeadline = createParamDecorator((_data: unknown, context: ExecutionContext): number => {
  const { admissionMs } = context.switchToHttp().getRequest<FastifyRequest>();
  return performance.now() + DATABASE_WAIT_MS - admissionMs;
});
