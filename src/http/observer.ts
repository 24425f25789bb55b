import type { FastifyReply, FastifyRequest } from 'fastify';
import type { AdmissionDecision } from '../auth/admission/decision.js';
import type { ApiError } from '../errors/api-error.js';

/** A response to bytes that never became a request: there is only a connection. */
export interface SocketResponse {
  readonly id: string;
  readonly address: string;
  readonly decision: AdmissionDecision;
  readonly error: ApiError;
}

/** Observes every request: for logs, metrics and traces, and to count the usage of keys. No call may throw. */
export interface HttpObserver {
  /** A request's headers have arrived; nothing is decided yet. */
  begun?(request: FastifyRequest): void;
  /** Its response is about to be written, even if the client is gone: once per request that has begun. */
  responded(request: FastifyRequest, reply: FastifyReply): void;
  respondedOnSocket?(response: SocketResponse): void;
}

/** Injects the observers of requests, which `ObserversModule` lists. */
export const HTTP_OBSERVERS = Symbol('HTTP_OBSERVERS');
