import type { RequestListener } from 'node:http';
import { FastifyAdapter } from '@nestjs/platform-fastify';
import {
  type FastifyBaseLogger,
  type FastifyInstance,
  type FastifyReply,
  type FastifyRequest,
  LogController,
} from 'fastify';
import type { Config } from '../config/config.js';
import { trustedHops } from './client-address.js';
import { requestIdOf } from './request.js';
import { handleUnusualRequests, parserErrorHandler } from './parser-errors.js';
import { JsonResponse } from './json-response.js';
import type { RequestPipeline } from './pipeline.js';
import { ClientConnections } from './sockets/client-connections.js';

const JSON_TYPE = 'application/json; charset=utf-8';

/** Used by Fastify's options before the adapter exists. Handlers are set before the server listens. */
interface Late {
  connections?: ClientConnections;
  frameworkErrors?: (error: Error, request: FastifyRequest, reply: FastifyReply) => void;
  clientErrors?: ReturnType<typeof parserErrorHandler>;
}

/** Nest's Fastify adapter, with connection limits and draining. */
export class HttpAdapter extends FastifyAdapter {
  readonly #config: Config;
  readonly #late: Late;

  constructor(config: Config, logger: FastifyBaseLogger) {
    const late: Late = {};
    super({
      loggerInstance: logger,
      // Log lines name their request themselves: a child logger for each would cost more than most requests log.
      childLoggerFactory: (parent: FastifyBaseLogger) => parent,
      genReqId: requestIdOf,
      trustProxy: trustedHops(config.trustProxy),
      bodyLimit: config.bodyBytesMax,
      // The service logs requests itself, if at all.
      logController: new LogController({ disableRequestLogging: true }),
      // Connections open at shutdown still get responses, each with "Connection: close".
      return503OnClosing: false,
      // An over-long identifier is the handler's error (404), not the router's (414).
      routerOptions: { maxParamLength: Number.MAX_SAFE_INTEGER },
      serverFactory: (handle: RequestListener) => {
        late.connections = new ClientConnections(
          {
            // Else Node responds to a missing Host by itself, without a body.
            requireHostHeader: false,
            // Else Node drops all but the first of a repeated Authorization; joined, they are no key (401).
            joinDuplicateHeaders: true,
            headersTimeout: config.headersTimeoutMs,
            requestTimeout: config.requestTimeoutMs,
            // How soon an expired request is noticed: well before the connection is closed, and Node's 30 s would double the time-out.
            connectionsCheckingInterval: Math.min(1000, config.requestTimeoutMs / 4),
            keepAliveTimeout: config.keepAliveTimeoutMs,
          },
          handle,
          {
            max: config.connectionsMax,
            firstByteTimeoutMs: config.headersTimeoutMs,
            warn: (message) => logger.warn(message),
          },
        );
        // For clients that read no response: idle time in both directions. Doubled, so that 408 always comes first.
        return late.connections.server.setTimeout(config.requestTimeoutMs * 2);
      },
      // A busy machine may take longer than Fastify's ten seconds; supervisors have their own limit.
      pluginTimeout: 0,
      // The service uses no Nest middleware.
      skipMiddie: true,
      frameworkErrors: (error: Error, request: FastifyRequest, reply: FastifyReply) =>
        late.frameworkErrors?.(error, request, reply),
      clientErrorHandler: (error, socket) => late.clientErrors?.(error, socket),
    });
    this.#config = config;
    this.#late = late;
  }

  /** Adds the request pipeline, before any route. */
  installPipeline(pipeline: RequestPipeline): void {
    const fastify = this.getInstance();
    const { server } = fastify;
    const { connections } = this.#late;
    if (connections === undefined) throw new Error('Fastify has made no server');
    pipeline.install(this, connections);
    // Its body is ignored like that of a GET.
    fastify.addHttpMethod('DELETE', { hasBody: false, overrideExisting: true });
    this.#late.frameworkErrors = (_error, request, reply) => void pipeline.rejectTarget(request, reply);
    this.#late.clientErrors = parserErrorHandler(pipeline);
    fastify.addHook('preClose', () => connections.close());
    // Else headers past the first 2,000 are dropped (Node 20) or rejected (24): 16 KiB limit their size anyway.
    server.maxHeadersCount = 0;
    handleUnusualRequests(server, pipeline);
  }

  /** Stops accepting connections, and closes open ones with their next response, until the time-out. */
  async drain(timeoutMs: number): Promise<void> {
    await this.#late.connections?.drain(timeoutMs);
  }

  /** Text is JSON, unless the handler has set another type. */
  override reply(...[response, body, status]: Parameters<FastifyAdapter['reply']>): FastifyReply {
    const reply = response as FastifyReply;
    if (body instanceof JsonResponse) {
      reply.headers(body.headersAt(this.#config.publicUrl));
      return this.reply(reply, body.json, body.status ?? status);
    }
    if (typeof body === 'string' && !reply.hasHeader('content-type')) reply.type(JSON_TYPE);
    return super.reply(reply, body, status);
  }

  /** The pipeline reads bodies. */
  override registerParserMiddleware(): void {
    // Nest would add a parser for each media type.
  }

  /** Nest would replace the pipeline's handlers with its own, which handle only its exceptions. */
  override setErrorHandler(): FastifyInstance {
    return this.getInstance();
  }
  override setNotFoundHandler(): FastifyInstance {
    return this.getInstance();
  }
}
