import type { FastifyReply, FastifyRequest } from 'fastify';
import { toApiError } from './to-api-error.js';

/** Answers with the Error body. What is our fault is kept for the request's line in the log, which tells it once. */
export function sendError(error: unknown, request: FastifyRequest, reply: FastifyReply): void {
  const answer = toApiError(error);
  if (answer.status >= 500) request.failure = answer.cause ?? error;
  reply
    .code(answer.status)
    .headers(answer.headers)
    .type('application/json; charset=utf-8')
    .send(JSON.stringify(answer.body));
}
