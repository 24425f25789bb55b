import { Inject, Injectable } from '@nestjs/common';
import type { FastifyError, FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import type { Logger } from 'pino';
import type { Config } from '../../config/config.js';
import { CONFIG, LOGGER } from '../../config/config.module.js';
import { ApiError } from '../../errors/api-error.js';
import { appendLines } from '../appended-headers.js';
import { Caching } from '../caching.js';
import { CLIENT_ADDRESS_OF, type ClientAddressOf } from '../client-address.js';
import { Clock } from '../clock.js';
import { commonLines } from '../common-headers.js';
import { Cors, isPreflight, PREFLIGHT_HEADERS } from '../cors.js';
import { AdmissionPort } from '../decision.js';
import { assertNotRemoved, type Deprecation, deprecationLines } from '../deprecation.js';
import { sendError, toApiError } from '../error.filter.js';
import {
  awaitsContinue,
  bodyBrokeOff,
  bodySource,
  bodyTooLarge,
  checkBeforeBody,
  isBodyIgnored,
  isBrokenOff,
} from '../input/body-check.js';
import { parseJsonBody } from '../input/json-body.js';
import { HttpObserver } from '../observer.js';
import { PublicUrl } from '../public-url.js';
import { decorateRequests } from '../request.js';
import { routeConfigOf } from '../route.decorators.js';
import type { InFlightRequests } from '../sockets/in-flight-requests.js';
import type { SocketOptions } from '../sockets/socket-errors.js';
import { RouteMethods } from './route-methods.js';

/** Longer than a page of cursors and filters needs, and shorter than Node's limit for all headers (16 KiB). */
const TARGET_LENGTH_MAX = 8192;

/** Node's parser also takes 0.9 and 2.0, whose requests are framed differently. */
const HTTP_VERSIONS: ReadonlySet<string> = new Set(['1.0', '1.1']);

/** Everything that happens to a request before its handler, and to its response after it, in the order of the methods. */
@Injectable()
export class RequestPipeline implements SocketOptions {
  readonly #methods = new RouteMethods();
  readonly #announcements = new Map<Deprecation | undefined, string>();
  readonly #caching: Caching;
  readonly #bodyBytesMax: number;
  #inFlight!: InFlightRequests;

  constructor(
    readonly admission: AdmissionPort,
    readonly clock: Clock,
    readonly cors: Cors,
    readonly observer: HttpObserver,
    private readonly publicUrl: PublicUrl,
    @Inject(CLIENT_ADDRESS_OF) readonly clientAddressOf: ClientAddressOf,
    @Inject(CONFIG) { bodyBytesMax }: Config,
    @Inject(LOGGER) readonly logger: Logger,
  ) {
    this.#caching = new Caching(cors);
    this.#bodyBytesMax = bodyBytesMax;
  }

  /** Adds all steps but `onRequest`, which must come before the hooks of Nest. */
  install(fastify: FastifyInstance, inFlight: InFlightRequests): void {
    this.#inFlight = inFlight;
    decorateRequests(fastify);
    fastify.addHook('onRoute', (route) => {
      this.#methods.add(route);
      const { deprecation } = route.config ?? {};
      if (deprecation !== undefined)
        this.#announcements.set(deprecation, deprecationLines(deprecation, this.publicUrl));
    });
    fastify.removeAllContentTypeParsers();
    fastify.addHook('preParsing', ({ raw }, _reply, payload, done) => {
      try {
        done(null, isBodyIgnored(raw) ? payload : bodySource(raw));
      } catch (error) {
        done(error as ApiError);
      }
    });
    fastify.addContentTypeParser<Buffer>(
      'application/json',
      { parseAs: 'buffer' },
      (request, bytes, done) => {
        request.bodyBytes = bytes;
        done(null, parseJsonBody(bytes));
      },
    );
    fastify.addHook('onSend', (request, reply, payload, done) => this.#onSend(request, reply, payload, done));
    fastify.setErrorHandler((error: FastifyError, request, reply) => {
      if (error.code === 'FST_ERR_CTP_BODY_TOO_LARGE')
        sendError(bodyTooLarge(this.#bodyBytesMax), request, reply);
      else sendError(error === request.raw.errored ? bodyBrokeOff(error) : error, request, reply);
    });
    fastify.setNotFoundHandler((request, reply) => sendError(new ApiError('not_found'), request, reply));
  }

  readonly onRequest = (
    request: FastifyRequest,
    reply: FastifyReply,
    done: (error?: Error) => void,
  ): void => {
    this.#beforeBody(request, reply).then((hasResponded) => hasResponded || done(), done);
  };

  /** Everything that is decided before a byte of the body is read. Resolves to true if it has already responded. */
  async #beforeBody(request: FastifyRequest, reply: FastifyReply): Promise<boolean> {
    const { admission, clock, observer } = this;
    observer.begun(request);
    const address = this.#addressOf(request);
    if (isPreflight(request.method, request.headers)) {
      request.decision = admission.describeAddress(address);
      reply.code(204).headers(PREFLIGHT_HEADERS).send();
      return true;
    }

    if (!HTTP_VERSIONS.has(request.raw.httpVersion)) {
      request.decision = await admission.chargeAddress(address);
      throw request.decision.rejection ?? new ApiError('malformed_request');
    }

    const { public: isPublic, deprecation } = routeConfigOf(request);
    if (isPublic === true) {
      request.decision = admission.describeAddress(address);
    } else {
      const begunAt = performance.now();
      request.decision = await admission.decide(request.headers, address);
      request.admissionMs = performance.now() - begunAt;
      if (request.decision.rejection !== undefined) throw request.decision.rejection;
    }

    if (request.raw.url !== undefined && request.raw.url.length > TARGET_LENGTH_MAX) {
      throw new ApiError('uri_too_long', `The request URI is longer than ${TARGET_LENGTH_MAX} characters.`);
    }
    if (request.is404) this.#throwNoRoute(request);
    if (deprecation !== undefined) assertNotRemoved(deprecation, clock.nowMs());
    checkBeforeBody(request.raw, this.#bodyBytesMax);
    if (awaitsContinue(request.raw)) reply.raw.writeContinue();
    return false;
  }

  #addressOf(request: FastifyRequest): string {
    const { remoteAddress } = request.raw.socket;
    return (request.clientAddress ??= this.clientAddressOf(remoteAddress, request.headers));
  }

  #throwNoRoute({ raw }: FastifyRequest): never {
    const methods = this.#methods.of(raw.url ?? '');
    if (methods.length === 0) throw new ApiError('not_found');
    const allow = methods.join(', ');
    throw new ApiError('method_not_allowed', `This path supports only ${allow}.`, { headers: { allow } });
  }

  #onSend(
    request: FastifyRequest,
    reply: FastifyReply,
    payload: unknown,
    done: (error?: Error | null, payload?: unknown) => void,
  ): void {
    const sent = this.#caching.of(request, reply, payload);
    if (sent === 'precondition_failed') return done(new ApiError(sent));
    const isSent = this.#inFlight.whenRoom(request.raw, sent.payload, () => {
      this.#setCommonHeaders(request, reply, sent.lines);
      this.observer.answered(request, reply);
      done(null, sent.payload);
    });
    // Else Fastify takes a handler that has returned for one that sent nothing, and sends an empty response.
    if (!isSent) reply.hijack();
  }

  /** The headers of every response, at the last moment, so that none of them is stale. */
  #setCommonHeaders(request: FastifyRequest, reply: FastifyReply, caching: string): void {
    request.decision ??= this.admission.describeAddress(this.#addressOf(request));
    if (this.#inFlight.isLast(request.raw) || isBrokenOff(request.raw)) reply.header('connection', 'close');
    const { id, decision, headers } = request;
    const common = commonLines(this, { id, decision, origin: headers.origin });
    const announcement = this.#announcements.get(routeConfigOf(request).deprecation) ?? '';
    appendLines(reply, `${common}${caching}${announcement}`);
  }

  /** Responds to a target that cannot be decoded. It reaches no hook, so nothing was decided and no header is set. */
  async rejectTarget(error: Error, request: FastifyRequest, reply: FastifyReply): Promise<void> {
    const { admission, observer } = this;
    observer.begun(request);
    request.decision = await admission.chargeAddress(this.#addressOf(request));
    this.#setCommonHeaders(request, reply, this.#caching.notKept);
    sendError(request.decision.rejection ?? toApiError(error), request, reply);
    observer.answered(request, reply);
  }
}
