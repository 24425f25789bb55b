import type { FastifyReply, FastifyRequest } from 'fastify';
import type { AdmissionDecision } from '../throttling/decision.js';
import type { ApiError } from '../common/errors/api-error.js';

/** A response to bytes that never became a request: there is only a connection. */
export interface SocketResponse {
  readonly id: string;
  readonly address: string;
  readonly decision: AdmissionDecision;
  readonly error: ApiError;
}

/** Counts the requests of keys. No call may throw. */
export abstract class UsageObserver {
  /** The response is about to be written, also when the client has gone: once for each request that was decided about. */
  abstract responded(request: FastifyRequest, reply: FastifyReply): void;
}

/** Observes every request, for logs, metrics and traces. No call may throw. */
export abstract class HttpObserver {
  /** A request's headers have arrived; nothing is decided yet. */
  abstract begun(request: FastifyRequest): void;
  /** Its response is about to be written, also when the client has gone: once for each request that has begun. */
  abstract responded(request: FastifyRequest, reply: FastifyReply): void;
  abstract respondedOnSocket(response: SocketResponse): void;
}
