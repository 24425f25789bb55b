import type { FastifyReply, FastifyRequest } from 'fastify';
import type { Decision } from '../decision.js';

declare module 'fastify' {
  interface FastifyRequest {
    /** What really happened, when the answer is our fault (5xx): for the log, never for the caller. */
    failure: unknown;
  }
}

/** An answer to bytes that never became a request: there is only a socket then. */
export interface SocketAnswer {
  readonly id: string;
  readonly status: number;
  readonly address: string;
  readonly decision: Decision;
  /** What is told to the client. */
  readonly error: Error;
}

/** Looks on at every request, for logs, metrics and traces, whoever makes them. No call may throw. */
export interface HttpObserver {
  /** A request has arrived whose headers are read: nothing has been decided yet. */
  begun(request: FastifyRequest): void;
  /** Its answer is about to be written, also when the client has gone: once for each request that has begun. */
  answered(request: FastifyRequest, reply: FastifyReply): void;
  answeredOnSocket(answer: SocketAnswer): void;
  /** A connection too many was told so. It comes in floods, and the log hears of it once a minute. */
  refusedConnection(status: number): void;
}
