import { createServer, type RequestListener } from 'node:http';
import type { Duplex } from 'node:stream';
import { FastifyAdapter } from '@nestjs/platform-fastify';
import {
  type FastifyBaseLogger,
  type FastifyError,
  type FastifyInstance,
  type FastifyReply,
  type FastifyRequest,
  LogController,
  type RouteOptions,
} from 'fastify';
import { AddressTurns } from '../sockets/address-turns.js';
import { ApiError } from '../../errors/api-error.js';
import {
  awaitsContinue,
  bodyBrokeOff,
  bodySource,
  bodyTooLarge,
  checkBeforeBody,
  isBodyIgnored,
  isBrokenOff,
} from '../input/body-check.js';
import { Caching } from '../caching.js';
import { ConnectionLimits } from '../sockets/connection-limits.js';
import { isPreflight, PREFLIGHT_HEADERS } from '../cors.js';
import { assertNotRemoved, type Deprecation, deprecationHeaders } from '../deprecation.js';
import type { EdgeOptions } from './edge-options.js';
import { sendError, toApiError } from '../error.filter.js';
import { parseJsonBody } from '../input/json-body.js';
import { InFlightRequests } from '../sockets/in-flight-requests.js';
import { OpenConnections } from '../sockets/open-connections.js';
import { decorateRequests, requestIdOf } from '../request.js';
import { routeConfigOf } from '../route.decorators.js';
import { RouteMethods } from './route-methods.js';
import { appendHeaders, ResponseOfServer } from '../appended-headers.js';
import { commonHeaders, type Headers } from '../common-headers.js';
import { answerSocketErrors, socketErrorHandler } from '../sockets/socket-errors.js';
import { socketTimeouts } from '../sockets/socket-timeouts.js';

/** Longer than a page of cursors and filters needs, and shorter than what Node takes for all headers (16 KiB). */
const TARGET_LENGTH_MAX = 8192;

/** How long a connection that was accepted last has for its request when the server closes. */
const SILENT_MS = 500;

/** Node's parser also takes 0.9 and 2.0, whose requests are framed otherwise. */
const HTTP_VERSIONS: ReadonlySet<string> = new Set(['1.0', '1.1']);

/**
 * The HTTP server that the application stands on: everything that an answer gets whoever makes it, and everything that
 * is decided before a handler is reached. The steps act in the order in which they are written here.
 */
export class EdgeAdapter extends FastifyAdapter {
  /** The routes that were registered, those for HEAD that Fastify adds among them. */
  readonly routes: RouteOptions[] = [];
  readonly #options: EdgeOptions;
  readonly #methods = new RouteMethods();
  readonly #announcements = new Map<Deprecation, Headers>();
  readonly #caching: Caching;
  readonly #connections: OpenConnections;
  readonly #inFlight: InFlightRequests;

  constructor(options: EdgeOptions) {
    const turns = new AddressTurns();
    const inFlight = new InFlightRequests((socket) => turns.penalize(socket, performance.now()));
    const limits = new ConnectionLimits(options.connections, turns, options);
    const isRefused = (socket: Duplex): boolean => limits.hasRefused(socket);
    super({
      loggerInstance: options.logger,
      // Lines name their request themselves: a child logger for each would cost more than all that is logged of most.
      childLoggerFactory: (logger: FastifyBaseLogger) => logger,
      genReqId: requestIdOf,
      bodyLimit: options.bodyBytesMax,
      // Requests are logged by the service itself, if at all.
      logController: new LogController({ disableRequestLogging: true }),
      // A connection that is open when the stop begins gets its answers, each with "Connection: close".
      return503OnClosing: false,
      routerOptions: {
        // What an over-long identifier names is the handler's question (404), not the router's (414).
        maxParamLength: Number.MAX_SAFE_INTEGER,
      },
      serverFactory: (handle: RequestListener) => {
        const dispatch = inFlight.dispatch(handle);
        const server = createServer(
          {
            ServerResponse: ResponseOfServer,
            // Else Node answers a missing Host by itself, without a body.
            requireHostHeader: false,
            // Else Node drops all but the first of a repeated Authorization; joined, they are no key (401).
            joinDuplicateHeaders: true,
            ...socketTimeouts(options),
          },
          (request, response) => {
            if (!isRefused(request.socket)) dispatch(request, response);
            // What is left unread would reset the connection, and take the answer away.
            else request.resume();
          },
        );
        // A client that takes no response: no byte went either way for so long. Twice, so that 408 always comes first.
        server.setTimeout(options.requestTimeoutMs * 2);
        // Else Node ends the connection of a client that has sent all and only reads on: it was charged for its request.
        return Object.assign(server, { httpAllowHalfOpen: true });
      },
      // Nest middleware is not used.
      skipMiddie: true,
      frameworkErrors: (error: Error, request: FastifyRequest, reply: FastifyReply) =>
        void this.#answerBadTarget(error, request, reply),
      clientErrorHandler: socketErrorHandler(options, inFlight, isRefused),
    });
    this.#options = options;
    this.#inFlight = inFlight;
    this.#caching = new Caching(options.cors);

    const fastify = this.getInstance();
    decorateRequests(fastify);
    fastify.addHook('onRoute', (route: RouteOptions) => {
      this.routes.push(route);
      this.#methods.add(route);
    });
    this.setOnRequestHook((request: FastifyRequest, reply: FastifyReply, done: (error?: Error) => void) => {
      this.#beforeBody(request, reply).then((answered) => answered || done(), done);
    });
    fastify.removeAllContentTypeParsers();
    fastify.addHook('preParsing', (request, _reply, payload, done) => {
      try {
        done(null, isBodyIgnored(request.raw) ? payload : bodySource(request.raw));
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
    fastify.addHook('onSend', (request, reply, payload, done) => {
      inFlight.whenRoom(request.raw, payload, () => {
        const sent = this.#caching.of(request, reply, payload);
        if (sent === 'precondition_failed') return done(new ApiError(sent));
        this.#setCommonHeaders(request, reply, sent.headers);
        options.observer.answered(request, reply);
        done(null, sent.payload);
      });
    });
    fastify.addHook('preClose', (done) => {
      inFlight.stop();
      done();
    });
    fastify.setErrorHandler((error: FastifyError, request, reply) => {
      if (error.code === 'FST_ERR_CTP_BODY_TOO_LARGE')
        sendError(bodyTooLarge(options.bodyBytesMax), request, reply);
      else sendError(error === request.raw.errored ? bodyBrokeOff(error) : error, request, reply);
    });
    fastify.setNotFoundHandler((request, reply) => sendError(new ApiError('not_found'), request, reply));
    // Else headers past the first 2,000 are dropped (Node 20) or refused (24): their size is limited anyway, to 16 KiB.
    fastify.server.maxHeadersCount = 0;
    answerSocketErrors(fastify.server, options, inFlight, isRefused);
    limits.watch(fastify.server);
    this.#connections = new OpenConnections(fastify.server);
  }

  /**
   * Closes connections by their responses from now on, and waits until none is open. Node's own `close` cuts off a connection that
   * is idle in that moment, also when a request is on its way on it.
   */
  async sayFarewell(timeoutMs: number): Promise<void> {
    this.#inFlight.stop();
    await this.#connections.untilNone(timeoutMs);
  }

  /** Accepts no more connections, and waits for the requests in flight. */
  override async close(): Promise<void> {
    const timer = setTimeout(() => this.#connections.closeSilent(), SILENT_MS);
    await super.close().finally(() => clearTimeout(timer));
  }

  /** Nest would replace the handlers above by its own, which know only its own exceptions. */
  override setErrorHandler(): FastifyInstance {
    return this.getInstance();
  }
  override setNotFoundHandler(): FastifyInstance {
    return this.getInstance();
  }

  /** Everything that is decided before a byte of the body is read. True when the request is answered already. */
  async #beforeBody(request: FastifyRequest, reply: FastifyReply): Promise<boolean> {
    const { admission, clock, bodyBytesMax } = this.#options;
    this.#options.observer.begun(request);
    const address = this.#addressOf(request);
    if (isPreflight(request.method, request.headers)) {
      request.decision = admission.describeAddress(address);
      reply.code(204).headers(PREFLIGHT_HEADERS).send();
      return true;
    }

    if (!HTTP_VERSIONS.has(request.raw.httpVersion)) {
      request.decision = await admission.chargeAddress(address);
      throw request.decision.refusal ?? new ApiError('malformed_request');
    }

    const { public: isPublic, deprecation } = routeConfigOf(request);
    if (isPublic === true) {
      request.decision = admission.describeAddress(address);
    } else {
      const begunAt = performance.now();
      request.decision = await admission.decide(request.headers, address);
      request.admissionMs = performance.now() - begunAt;
      if (request.decision.refusal !== undefined) throw request.decision.refusal;
    }

    if (request.raw.url !== undefined && request.raw.url.length > TARGET_LENGTH_MAX) {
      throw new ApiError(
        'uri_too_long',
        `The request target is longer than ${TARGET_LENGTH_MAX} characters.`,
      );
    }
    if (request.is404) this.#throwUnrouted(request);
    if (deprecation !== undefined) assertNotRemoved(deprecation, clock.nowMs());
    checkBeforeBody(request.raw, bodyBytesMax);
    if (awaitsContinue(request.raw)) reply.raw.writeContinue();
    return false;
  }

  /** The same for each request of an operation: made once. */
  #announcementOf(deprecation: Deprecation): Headers {
    const known = this.#announcements.get(deprecation);
    if (known !== undefined) return known;
    const headers = deprecationHeaders(deprecation, this.#options.publicUrl);
    this.#announcements.set(deprecation, headers);
    return headers;
  }

  #addressOf(request: FastifyRequest): string {
    const { remoteAddress } = request.raw.socket;
    return (request.clientAddress ??= this.#options.clientAddressOf(remoteAddress, request.headers));
  }

  #throwUnrouted(request: FastifyRequest): never {
    const methods = this.#methods.of(request.raw.url ?? '');
    if (methods.length === 0) throw new ApiError('not_found');
    const allow = methods.join(', ');
    throw new ApiError('method_not_allowed', `This path offers ${allow} only.`, { headers: { allow } });
  }

  /** The headers of every response, in the last moment, so that none of them is old. */
  #setCommonHeaders(request: FastifyRequest, reply: FastifyReply, caching: Headers): void {
    request.decision ??= this.#options.admission.describeAddress(this.#addressOf(request));
    if (this.#inFlight.isLast(request.raw) || isBrokenOff(request.raw)) reply.header('connection', 'close');
    const { id, decision, headers } = request;
    const common = commonHeaders(this.#options, { id, decision, origin: headers.origin });
    const { deprecation } = routeConfigOf(request);
    if (deprecation === undefined) appendHeaders(reply, common, caching);
    else appendHeaders(reply, common, caching, this.#announcementOf(deprecation));
  }

  /** A target that cannot be decoded reaches no hook: nobody has asked for a decision, and no hook sets the headers. */
  async #answerBadTarget(error: Error, request: FastifyRequest, reply: FastifyReply): Promise<void> {
    this.#options.observer.begun(request);
    request.decision = await this.#options.admission.chargeAddress(this.#addressOf(request));
    this.#setCommonHeaders(request, reply, this.#caching.notKept);
    sendError(request.decision.refusal ?? toApiError(error), request, reply);
    this.#options.observer.answered(request, reply);
  }
}
