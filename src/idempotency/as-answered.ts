import type { FastifyReply } from 'fastify';
import { asJson } from '../http/answer/as-json.js';

/** Sends a stored answer as it is. */
export function asAnswered(reply: FastifyReply, answer: string, replayed: boolean): string {
  if (replayed) reply.header('idempotency-replayed', 'true');
  return asJson(reply, answer);
}
