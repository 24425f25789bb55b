import { type ArgumentsHost, Catch, type ExceptionFilter } from '@nestjs/common';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { asUnavailable, UnavailableError } from './database-errors.js';
import { ApiError } from './api-error.js';
import { errorBody } from './error-body.js';

/** Maps every exception of guards, pipes, interceptors and handlers to the standard error response. */
@Catch()
export class ErrorFilter implements ExceptionFilter {
  catch(error: unknown, host: ArgumentsHost): void {
    const http = host.switchToHttp();
    sendError(error, http.getRequest<FastifyRequest>(), http.getResponse<FastifyReply>());
  }
}

/** A rejection takes precedence over any other error, so that a client without a valid key learns nothing about paths and bodies. */
export const errorOf = (decision: { readonly rejection?: ApiError } | null, error: unknown): ApiError =>
  decision?.rejection ?? toApiError(error);

/** Sends the error body. The cause of a 5xx is stored on the request, for its log line. */
export function sendError(error: unknown, request: FastifyRequest, reply: FastifyReply): void {
  const apiError = errorOf(request.decision, error);
  if (apiError.status >= 500) request.failure = apiError.cause ?? error;
  const { mediaType, text } = errorBody(apiError, request.headers.accept);
  reply.code(apiError.status).headers(apiError.headers).type(mediaType).send(text);
}

/** Maps any thrown value to an `ApiError`; unknown ones to `internal_error`. */
export function toApiError(error: unknown): ApiError {
  if (error instanceof ApiError) return error;
  const unavailable = asUnavailable(error);
  if (unavailable instanceof UnavailableError) {
    return new ApiError('service_unavailable', undefined, {
      // One second is enough: queues are bounded and recover by themselves, and a retry that is too early costs one rejection.
      headers: { 'retry-after': '1' },
      cause: unavailable,
    });
  }
  return new ApiError('internal_error', undefined, { cause: error });
}
