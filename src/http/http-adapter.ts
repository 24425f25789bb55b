import { createServer, type RequestListener } from 'node:http';
import { FastifyAdapter } from '@nestjs/platform-fastify';
import {
  type ConnectionError,
  type FastifyBaseLogger,
  type FastifyInstance,
  type FastifyReply,
  type FastifyRequest,
  LogController,
} from 'fastify';
import type { Config } from '../config/config.js';
import { createIsTrustedPeer } from './client-address.js';
import { requestIdOf } from '../common/request.js';
import { AddressTurns } from './sockets/address-turns.js';
import { ConnectionLimits } from './sockets/connection-limits.js';
import { InFlightRequests } from './sockets/in-flight-requests.js';
import { OpenConnections } from './sockets/open-connections.js';
import { answerSocketErrors, socketErrorHandler } from './sockets/socket-errors.js';
import type { RequestPipeline } from './pipeline.js';

/** What Fastify calls for bytes that do not become a request. It is set before the server listens. */
interface LateHandlers {
  frameworkErrors?: (error: Error, request: FastifyRequest, reply: FastifyReply) => void;
  clientErrors?: (
    error: ConnectionError,
    socket: Parameters<ReturnType<typeof socketErrorHandler>>[1],
  ) => void;
}

/** Nest's adapter for Fastify, with the connections of the server, their limits and their end. */
export class HttpAdapter extends FastifyAdapter {
  readonly #config: Config;
  readonly #late: LateHandlers;
  readonly #turns: AddressTurns;
  readonly #inFlight: InFlightRequests;
  #connections: OpenConnections | undefined;

  constructor(config: Config, logger: FastifyBaseLogger) {
    const late: LateHandlers = {};
    const turns = new AddressTurns();
    const inFlight = new InFlightRequests((socket) => turns.penalize(socket, performance.now()));
    super({
      loggerInstance: logger,
      // Log lines name their request themselves: a child logger for each would cost more than most requests log.
      childLoggerFactory: (parent: FastifyBaseLogger) => parent,
      genReqId: requestIdOf,
      bodyLimit: config.bodyBytesMax,
      // The service logs requests itself, if at all.
      logController: new LogController({ disableRequestLogging: true }),
      // A connection that is open when the stop begins gets its responses, each with "Connection: close".
      return503OnClosing: false,
      // An over-long identifier is the handler's error (404), not the router's (414).
      routerOptions: { maxParamLength: Number.MAX_SAFE_INTEGER },
      serverFactory: (handle: RequestListener) => {
        const server = createServer(
          {
            // Else Node responds to a missing Host by itself, without a body.
            requireHostHeader: false,
            // Else Node drops all but the first of a repeated Authorization; joined, they are no key (401).
            joinDuplicateHeaders: true,
            // Node takes the shorter of these two for the headers and the longer one, its own 60 s, for the whole request.
            headersTimeout: config.requestTimeoutMs,
            requestTimeout: config.requestTimeoutMs,
            // How soon an expired request is noticed; Node's 30 s would double the time-out.
            connectionsCheckingInterval: 1000,
            keepAliveTimeout: config.keepAliveTimeoutMs,
          },
          inFlight.dispatch(handle),
        );
        // For clients that take no response: no byte in either direction for this time. Twice, so that 408 always comes first.
        return server.setTimeout(config.requestTimeoutMs * 2);
      },
      // The service uses no Nest middleware.
      skipMiddie: true,
      frameworkErrors: (error: Error, request: FastifyRequest, reply: FastifyReply) =>
        late.frameworkErrors?.(error, request, reply),
      clientErrorHandler: (error, socket) => late.clientErrors?.(error, socket),
    });
    this.#config = config;
    this.#late = late;
    this.#turns = turns;
    this.#inFlight = inFlight;
  }

  /** Adds the request pipeline, before any route. */
  installPipeline(pipeline: RequestPipeline): void {
    const fastify = this.getInstance();
    const { server } = fastify;
    // Nest's own hook comes before all others.
    this.setOnRequestHook(pipeline.onRequest);
    pipeline.install(fastify, this.#inFlight);
    this.#late.frameworkErrors = (...call) => void pipeline.rejectTarget(...call);
    this.#late.clientErrors = socketErrorHandler(pipeline, this.#inFlight);
    fastify.addHook('preClose', (done) => {
      this.#inFlight.stop();
      done();
    });
    // Else headers past the first 2,000 are dropped (Node 20) or rejected (24): 16 KiB limit their size anyway.
    server.maxHeadersCount = 0;
    answerSocketErrors(server, pipeline, this.#inFlight);
    const isTrustedPeer = createIsTrustedPeer(this.#config.trustProxy);
    new ConnectionLimits({ ...this.#config.connections, isTrustedPeer }, this.#turns, pipeline).watch(server);
    this.#connections = new OpenConnections(server);
  }

  /** Accepts no more connections, and closes the open ones by their responses, as far as these come in time. */
  async drain(timeoutMs: number): Promise<void> {
    this.#inFlight.stop();
    await this.#connections?.drain(timeoutMs);
  }

  /** The pipeline reads bodies. */
  override registerParserMiddleware(): void {
    // Nest would add a parser for each media type.
  }

  /** Nest would replace the pipeline's handlers by its own, which know only its own exceptions. */
  override setErrorHandler(): FastifyInstance {
    return this.getInstance();
  }
  override setNotFoundHandler(): FastifyInstance {
    return this.getInstance();
  }
}
