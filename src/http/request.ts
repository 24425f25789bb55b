import { randomBytes } from 'node:crypto';
import type { IncomingHttpHeaders } from 'node:http';
import { createParamDecorator, type ExecutionContext } from '@nestjs/common';
import type { FastifyInstance, FastifyRequest } from 'fastify';
import { parseInt64 } from '../database/int64.js';
import { ApiError } from '../errors/api-error.js';
import type { ErrorCode } from '../errors/error-codes.js';
import type { AdmissionDecision } from '../auth/admission/decision.js';
import { looksLikeKey } from '../auth/keys/mask-keys.js';

declare module 'fastify' {
  interface FastifyRequest {
    /** The admission decision; null until it is made. */
    decision: AdmissionDecision | null;
    /** Milliseconds that the request may still wait for the database, after its decision. */
    databaseMs: number;
    /** The body as it was sent; null without a body. */
    bodyBytes: Buffer | null;
    /** The address that the request counts against; null until determined. */
    clientAddress: string | null;
    /** The internal reason of a 5xx response: logged, never sent to clients. */
    failure: unknown;
  }
}

/** Gives every request the members above from the start, which keeps the shape of its object. */
export function decorateRequests(fastify: FastifyInstance, databaseMs: number): void {
  for (const name of ['routeConfig', 'decision', 'bodyBytes', 'clientAddress', 'failure']) {
    fastify.decorateRequest(name, null);
  }
  fastify.decorateRequest('databaseMs', databaseMs);
}

/**
 * The moment of `performance.now()` by which the request's statements must be done. The arrival of its body does not count:
 * the client may take its time.
 */
export const RequestDeadline = createParamDecorator((_data: unknown, context: ExecutionContext): number => {
  const { databaseMs } = context.switchToHttp().getRequest<FastifyRequest>();
  return performance.now() + databaseMs;
});

/**
 * Returns a parser of path identifiers. It throws `absent`, the error for a missing record, if the text is not an int64.
 * Handlers call it, not a pipe, because an invalid body is rejected first.
 */
export const idIn =
  (absent: ErrorCode) =>
  (text: string): bigint => {
    const id = parseInt64(text);
    if (id === undefined) throw new ApiError(absent);
    return id;
  };

/** The characters of trace ids, UUIDs, base64 and paths, none of which is special in a log, a shell, a page or a list of header values. */
const PLAIN = /^[\w.:/+=@~%-]{1,128}$/;

/** Identifies the process in merged logs: 48 bits, so that no two replicas collide by chance. */
const PROCESS = randomBytes(6).toString('hex');

let count = 0;

/** Unique, and cheap: every request has one. */
export const newRequestId = (): string => `${PROCESS}-${(count++).toString(36)}`;

/**
 * The identifier of a response and its log line: the client's own `X-Request-Id` if it is usable. One that contains an API
 * key by mistake is not: it would get into every log.
 */
export function requestIdOf({ headers }: { readonly headers: IncomingHttpHeaders }): string {
  const own = headers['x-request-id'];
  return typeof own === 'string' && PLAIN.test(own) && !looksLikeKey(own) ? own : newRequestId();
}
