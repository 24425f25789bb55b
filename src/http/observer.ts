import type { FastifyReply, FastifyRequest } from 'fastify';
import type { Decision } from '../common/decision.js';

/** A response to bytes that never became a request: there is only a socket. */
export interface SocketAnswer {
  readonly id: string;
  readonly status: number;
  readonly address: string;
  readonly decision: Decision;
  /** What the client is sent. */
  readonly error: Error;
}

/** Observes every request, for logs, metrics and traces. No call may throw. */
export abstract class HttpObserver {
  /** A request's headers have arrived; nothing is decided yet. */
  abstract begun(request: FastifyRequest): void;
  /** Its response is about to be written, also when the client has gone: once for each request that has begun. */
  abstract answered(request: FastifyRequest, reply: FastifyReply): void;
  abstract answeredOnSocket(answer: SocketAnswer): void;
  /** A connection too many was rejected. Under floods this is logged once a minute. */
  abstract refusedConnection(status: number): void;
}
