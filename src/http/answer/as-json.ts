import type { FastifyReply } from 'fastify';

/** Has a text sent as the JSON that it is: what is a string already is not written by the route's schema again. */
export function asJson(reply: FastifyReply, json: string): string {
  reply.type('application/json; charset=utf-8');
  return json;
}
