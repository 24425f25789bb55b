import type { FastifyReply } from 'fastify';

/** Sends a stored answer as it is: what is a string already is not written by the route's schema again. */
export function asAnswered(reply: FastifyReply, answer: string, replayed: boolean): string {
  reply.type('application/json; charset=utf-8');
  if (replayed) reply.header('idempotency-replayed', 'true');
  return answer;
}
