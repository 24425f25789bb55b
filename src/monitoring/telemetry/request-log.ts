import { Inject, Injectable, Optional } from '@nestjs/common';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { type AdmissionDecision, exceededBy } from '../../auth/admission/decision.js';
import { routeConfigOf } from '../../auth/route-config.js';
import { CONFIG, LOGGER, type Logger } from '../../config/config.module.js';
import type { Config } from '../../config/config.js';
import type { HttpObserver, SocketResponse } from '../../http/observer.js';
import type { Tracing } from './tracing.js';

/** Ten times the longest path of the interface. */
const PATH_LENGTH_MAX = 256;

/**
 * W3C Trace Context, section 3.2: version 00 has 55 characters, later ones may have more. OpenTelemetry has a parser, but is not loaded
 * without tracing.
 */
const TRACEPARENT = /^(?!ff|00.{54})[\da-f]{2}-(?!0{32})([\da-f]{32})-(?!0{16})[\da-f]{16}-[\da-f]{2}(?:$|-)/;

/** Injects the `Tracing`, undefined without a collector. */
export const TRACING = Symbol('TRACING');

/** Writes one line for each request, when its response is sent. `LOG_REQUESTS` selects the requests. */
@Injectable()
export class RequestLog implements HttpObserver {
  constructor(
    @Inject(CONFIG) private readonly config: Pick<Config, 'logRequests'>,
    @Inject(LOGGER) private readonly logger: Pick<Logger, 'info' | 'error'>,
    @Optional() @Inject(TRACING) private readonly tracing?: Pick<Tracing, 'traceIdOf'>,
  ) {}

  responded(request: FastifyRequest, reply: FastifyReply): void {
    const status = reply.statusCode;
    const { decision } = request;
    // A flood from an address is not a service error, whatever its status, and must not fill the log.
    const loggedAs = decision?.isLookupRejected === true ? 429 : status;
    if (!isLogged(this.config, loggedAs)) return;
    this.#write(loggedAs, {
      requestId: request.id,
      method: request.method,
      operation: routeConfigOf(request).operation,
      path: request.url.split('?', 1)[0]?.slice(0, PATH_LENGTH_MAX),
      status,
      ms: Math.round(reply.elapsedTime * 100) / 100,
      ...describeDecision(decision),
      traceId: this.#traceIdOf(request),
      clientAddress: request.clientAddress,
      clientGone: reply.raw.destroyed || undefined,
      err: loggedAs < 500 ? undefined : request.failure,
    });
  }

  respondedOnSocket({ id, address, decision, error }: SocketResponse): void {
    const { status } = error;
    if (!isLogged(this.config, status)) return;
    this.#write(status, {
      requestId: id,
      status,
      ...describeDecision(decision),
      clientAddress: address,
      err: status < 500 ? undefined : error,
    });
  }

  /** Without tracing, the caller's, so that its trace leads to the line. */
  #traceIdOf(request: FastifyRequest): string | undefined {
    if (this.tracing !== undefined) return this.tracing.traceIdOf(request);
    return TRACEPARENT.exec(String(request.headers['traceparent']))?.[1];
  }

  #write(status: number, fields: object): void {
    if (status < 500) this.logger.info(fields, 'request');
    else this.logger.error(fields, 'request');
  }
}

/** 500 is a defect of the service, and always logged. */
export const isLogged = ({ logRequests }: Pick<Config, 'logRequests'>, status: number): boolean =>
  logRequests === 'all' || status === 500 || (logRequests === 'errors' && status > 500);

/** Logged because it is not visible later: counters move on, bans end. */
const describeDecision = (decision: AdmissionDecision | null): object => ({
  ...describeKey(decision?.rejectedKey ?? decision?.caller),
  plan: decision?.caller?.planId,
  code: decision?.rejection?.code,
  rejectedBy: decision === null ? undefined : exceededBy(decision),
});

const describeKey = (key: AdmissionDecision['rejectedKey']): object => {
  if (key === undefined) return {};
  // Text, because many programs that read logs parse every number as a double.
  return 'keyId' in key ? { keyId: key.keyId.toString() } : { keyPrefix: key.keyPrefix };
};
