import type { FastifyReply, FastifyRequest } from 'fastify';
import { toApiError } from './to-api-error.js';

/** Answers with the Error body, and logs what is our fault: once, here, with what really happened. */
export function sendError(error: unknown, request: FastifyRequest, reply: FastifyReply): void {
  const answer = toApiError(error);
  if (answer.status >= 500) {
    request.log.error({ err: answer.cause ?? error, code: answer.code }, 'a request could not be answered');
  }
  reply
    .code(answer.status)
    .headers(answer.headers)
    .type('application/json; charset=utf-8')
    .send(JSON.stringify(answer.body));
}
