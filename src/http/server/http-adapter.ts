import { createServer, type RequestListener } from 'node:http';
import { FastifyAdapter } from '@nestjs/platform-fastify';
import {
  type FastifyBaseLogger,
  type FastifyInstance,
  type FastifyReply,
  type FastifyRequest,
  LogController,
  type RouteOptions,
} from 'fastify';
import { ResponseOfServer } from '../appended-headers.js';
import { requestIdOf } from '../request.js';
import { AddressTurns } from '../sockets/address-turns.js';
import { type ConnectionLimitOptions, ConnectionLimits } from '../sockets/connection-limits.js';
import { InFlightRequests } from '../sockets/in-flight-requests.js';
import { writeInOnePiece } from '../sockets/one-piece.js';
import { OpenConnections } from '../sockets/open-connections.js';
import { answerSocketErrors, socketErrorHandler } from '../sockets/socket-errors.js';
import { type PipelineOptions, RequestPipeline } from './pipeline.js';

interface HttpAdapterOptions extends PipelineOptions {
  readonly connections: ConnectionLimitOptions;
  /** The longest that a request may take to arrive whole; then it is responded to with 408. */
  readonly requestTimeoutMs: number;
  /** How long a connection stays open between two requests. */
  readonly keepAliveTimeoutMs: number;
}

/** Nest's adapter for Fastify, with the connections of the server, their limits and their end. */
export class HttpAdapter extends FastifyAdapter {
  /** The registered routes, also those for HEAD that Fastify adds. */
  readonly routes: RouteOptions[] = [];
  readonly #connections: OpenConnections;
  readonly #inFlight: InFlightRequests;

  constructor(options: HttpAdapterOptions) {
    const turns = new AddressTurns();
    const inFlight = new InFlightRequests((socket) => turns.penalize(socket, performance.now()));
    const limits = new ConnectionLimits(options.connections, turns, options);
    const pipeline = new RequestPipeline(options, inFlight);
    super({
      loggerInstance: options.logger,
      // Log lines name their request themselves: a child logger for each would cost more than most requests log.
      childLoggerFactory: (logger: FastifyBaseLogger) => logger,
      genReqId: requestIdOf,
      bodyLimit: options.bodyBytesMax,
      // The service logs requests itself, if at all.
      logController: new LogController({ disableRequestLogging: true }),
      // A connection that is open when the stop begins gets its responses, each with "Connection: close".
      return503OnClosing: false,
      // An over-long identifier is the handler's error (404), not the router's (414).
      routerOptions: { maxParamLength: Number.MAX_SAFE_INTEGER },
      serverFactory: (handle: RequestListener) => {
        const server = createServer(
          {
            ServerResponse: ResponseOfServer,
            // Else Node responds to a missing Host by itself, without a body.
            requireHostHeader: false,
            // Else Node drops all but the first of a repeated Authorization; joined, they are no key (401).
            joinDuplicateHeaders: true,
            // Node takes the shorter of these two for the headers and the longer one, its own 60 s, for the whole request.
            headersTimeout: options.requestTimeoutMs,
            requestTimeout: options.requestTimeoutMs,
            // How soon an expired request is noticed; Node's 30 s would double the time-out.
            connectionsCheckingInterval: 1000,
            keepAliveTimeout: options.keepAliveTimeoutMs,
          },
          inFlight.dispatch(handle),
        );
        // For clients that take no response: no byte in either direction for this time. Twice, so that 408 always comes first.
        server.setTimeout(options.requestTimeoutMs * 2);
        // Else Node ends the connection of a client that has sent all and only reads on: its request is charged already.
        return Object.assign(server, { httpAllowHalfOpen: true });
      },
      // The service uses no Nest middleware.
      skipMiddie: true,
      frameworkErrors: (error: Error, request: FastifyRequest, reply: FastifyReply) =>
        void pipeline.rejectTarget(error, request, reply),
      clientErrorHandler: socketErrorHandler(options, inFlight),
    });
    this.#inFlight = inFlight;

    const fastify = this.getInstance();
    // Nest's own hook comes before all others.
    this.setOnRequestHook(pipeline.onRequest);
    pipeline.install(fastify);
    fastify.addHook('onRoute', (route: RouteOptions) => void this.routes.push(route));
    fastify.addHook('preClose', (done) => {
      inFlight.stop();
      done();
    });
    // Else headers past the first 2,000 are dropped (Node 20) or rejected (24): 16 KiB limit their size anyway.
    fastify.server.maxHeadersCount = 0;
    writeInOnePiece(fastify.server);
    answerSocketErrors(fastify.server, options, inFlight);
    limits.watch(fastify.server);
    this.#connections = new OpenConnections(fastify.server);
  }

  /** Accepts no more connections, and closes the open ones by their responses, as far as these come in time. */
  async drain(timeoutMs: number): Promise<void> {
    this.#inFlight.stop();
    await this.#connections.drain(timeoutMs);
  }

  /** Nest would replace the pipeline's handlers by its own, which know only its own exceptions. */
  override setErrorHandler(): FastifyInstance {
    return this.getInstance();
  }
  override setNotFoundHandler(): FastifyInstance {
    return this.getInstance();
  }
}
