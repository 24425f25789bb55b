import { Inject, Injectable } from '@nestjs/common';
import type { FastifyAdapter } from '@nestjs/platform-fastify';
import type { FastifyError, FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { stringify } from 'lossless-json';
import type { Config } from '../config/config.js';
import { CONFIG, LOGGER, type Logger } from '../config/config.module.js';
import { ApiError, type Headers } from '../errors/api-error.js';
import type { ErrorCode } from '../errors/error-codes.js';
import { Caching } from './caching.js';
import { clientAddressOf, type ClientAddressOf } from './client-address.js';
import { Clock } from '../auth/admission/clock.js';
import { commonHeaders, Cors, isPreflight, PREFLIGHT_HEADERS } from './common-headers.js';
import { Admission } from '../auth/admission/admission.js';
import { sendError, toApiError } from '../errors/error.filter.js';
import {
  ArrivingBodies,
  incompleteBody,
  bodyTooLarge,
  checkBodyHeaders,
  checkExpectation,
  checkFraming,
  checkHost,
  checkTransferCoding,
  emptyBody,
  hasBody,
  isBodyIgnored,
  isBodyAborted,
  unsupportedMediaType,
  PATCH_TYPES,
} from './bodies.js';
import { parseJsonBody } from './json-body.parser.js';
import { HTTP_OBSERVERS, type HttpObserver } from './observer.js';
import { decorateRequests } from './request.js';
import { routeConfigOf } from '../auth/route-config.js';
import type { ClientConnections } from './sockets/client-connections.js';
import { RouteMethods } from './route-methods.js';

/** Longer than a page of cursors and filters needs, and shorter than Node's limit for all headers (16 KiB). */
const TARGET_LENGTH_MAX = 8192;

/** Origin form or absolute form (RFC 9112 section 3.2). Routers also find a path behind other characters, as in `*v1/pets`. */
const TARGET = /^(?:\/|https?:\/\/)/i;

const lengthError = (target = ''): ApiError | undefined =>
  target.length > TARGET_LENGTH_MAX
    ? new ApiError('uri_too_long', `The request URI is longer than ${TARGET_LENGTH_MAX} characters.`)
    : undefined;

/** Errors that come before 404 and 405: about the request line, the Host or the framing. */
const BEFORE_ROUTING: ReadonlySet<ErrorCode> = new Set([
  'uri_too_long',
  'malformed_request',
  'request_timeout',
]);

/** Node's parser also takes 0.9 and 2.0, whose requests are framed differently. */
const HTTP_VERSIONS: ReadonlySet<string> = new Set(['1.0', '1.1']);

/** The response does not depend on the body: reading it would waste resources. */
const isBodyUnread = ({ decision, is404 }: FastifyRequest): boolean =>
  is404 || decision?.rejection !== undefined;

/** Everything that happens to a request before its handler, and to its response after it, in the order of the methods. */
@Injectable()
export class RequestPipeline {
  readonly #methods = new RouteMethods();
  readonly #caching: Caching;
  readonly #arriving: ArrivingBodies;
  readonly #bodyBytesMax: number;
  readonly #databaseMs: number;
  #connections!: ClientConnections;
  readonly cors: Cors;
  readonly clientAddressOf: ClientAddressOf;

  constructor(
    readonly admission: Admission,
    readonly clock: Clock,
    @Inject(HTTP_OBSERVERS) readonly observers: readonly HttpObserver[],
    @Inject(CONFIG) { bodyBytesMax, corsOrigins, database, trustProxy }: Config,
    @Inject(LOGGER) logger: Logger,
  ) {
    this.cors = new Cors(corsOrigins);
    this.clientAddressOf = clientAddressOf(trustProxy, (message) => logger.warn(message));
    this.#caching = new Caching(this.cors);
    this.#arriving = new ArrivingBodies(bodyBytesMax);
    this.#bodyBytesMax = bodyBytesMax;
    this.#databaseMs = database.waitMs;
  }

  /** Adds the steps, in the order in which a request takes them. */
  install(adapter: FastifyAdapter, connections: ClientConnections): void {
    const fastify = adapter.getInstance<FastifyInstance>();
    this.#connections = connections;
    decorateRequests(fastify, this.#databaseMs);
    fastify.addHook('onRoute', (route) => this.#methods.add(route));
    // Writes bigints exactly and Dates as RFC 3339.
    fastify.setReplySerializer((payload) => stringify(payload) ?? 'null');
    // Nest adds its hook before all others.
    adapter.setOnRequestHook((request, reply, done) => this.#onRequest(request, reply, done));
    fastify.removeAllContentTypeParsers();
    fastify.addHook('preParsing', (request, reply, payload, done) => {
      const { raw } = request;
      try {
        const isUnread = isBodyUnread(request);
        if (!isUnread) checkBodyHeaders(raw, this.#bodyBytesMax);
        checkFraming(raw);
        if (isBodyIgnored(raw)) done(null, payload);
        else if (isUnread) done(null, emptyBody(raw));
        else done(null, this.#arriving.read(raw, reply.raw, this.#addressOf(request)));
      } catch (error) {
        done(error as ApiError);
      }
    });
    fastify.addContentTypeParser<Buffer>(PATCH_TYPES, { parseAs: 'buffer' }, (request, bytes, done) => {
      request.bodyBytes = bytes;
      done(null, isBodyUnread(request) ? undefined : parseJsonBody(bytes));
    });
    fastify.addHook('onSend', (request, reply, payload, done) => this.#onSend(request, reply, payload, done));
    fastify.setErrorHandler((error: FastifyError, request, reply) =>
      sendError(this.#errorOf(error, request), request, reply),
    );
    fastify.setNotFoundHandler((request, reply) => sendError(this.#noRoute(request), request, reply));
  }

  #onRequest(request: FastifyRequest, reply: FastifyReply, done: (error?: Error) => void): void {
    this.#beforeBody(request, reply).then((hasResponded) => hasResponded || done(), done);
  }

  /**
   * Obtains the decision of admission, then checks what needs no body. It throws no rejection of the decision: the guards do, and
   * `sendError` prefers it to other errors. Resolves to true if it has already responded.
   */
  async #beforeBody(request: FastifyRequest, reply: FastifyReply): Promise<boolean> {
    const { admission } = this;
    const { raw } = request;
    const { public: isPublic, probe: isProbe, cost = 1 } = routeConfigOf(request);
    if (isProbe !== true) this.#begun(request);
    const address = this.#addressOf(request);
    if (isProbe === true) {
      request.decision = admission.describeAddress(address);
    } else if (isPreflight(request.method, request.headers)) {
      request.decision = admission.describeAddress(address);
      reply.code(204).headers(PREFLIGHT_HEADERS).send();
      return true;
    } else if (isPublic === true) {
      request.decision = admission.chargeDocument(address, cost);
    } else {
      const begunAt = performance.now();
      request.decision = await admission.decide(request, address);
      request.databaseMs -= performance.now() - begunAt;
    }

    const tooLong = lengthError(raw.url);
    if (tooLong !== undefined) throw tooLong;
    if (!HTTP_VERSIONS.has(raw.httpVersion)) throw new ApiError('malformed_request');
    checkHost(raw);
    checkTransferCoding(raw);
    checkExpectation(raw);
    return false;
  }

  #addressOf(request: FastifyRequest): string {
    return (request.clientAddress ??= this.clientAddressOf(request));
  }

  /** 404 and 405 win over errors of the body, which Fastify parses anyway. */
  #errorOf(error: FastifyError, request: FastifyRequest): ApiError {
    const apiError = toApiError(this.#bodyErrorOf(error, request) ?? error);
    const isFault = (error.statusCode ?? apiError.status) >= 500;
    const isAfterRouting = !isFault && !BEFORE_ROUTING.has(apiError.code);
    return request.is404 && isAfterRouting ? this.#noRoute(request) : apiError;
  }

  #bodyErrorOf(error: FastifyError, { raw }: FastifyRequest): ApiError | undefined {
    if (error === raw.errored) return incompleteBody(error);
    switch (error.code) {
      case 'FST_ERR_CTP_BODY_TOO_LARGE':
        return bodyTooLarge(this.#bodyBytesMax);
      // Also of requests without a body.
      case 'FST_ERR_CTP_INVALID_MEDIA_TYPE':
        return unsupportedMediaType(raw);
      default:
        return undefined;
    }
  }

  #noRoute({ raw }: FastifyRequest): ApiError {
    const { method = '', url = '' } = raw;
    const methods = TARGET.test(url) ? this.#methods.of(url) : [];
    if (methods.includes(method)) return new ApiError('not_found');
    if (methods.length === 0) return this.#noPath(url);
    const allow = methods.join(', ');
    return new ApiError('method_not_allowed', `This path supports only ${allow}.`, { headers: { allow } });
  }

  #noPath(url: string): ApiError {
    const [path = ''] = url.split('?');
    const shorter = path.replace(/(?<=[^/])\/$/, '');
    const known = shorter !== path && TARGET.test(shorter) ? this.#methods.pathOf(shorter) : undefined;
    return new ApiError(
      'not_found',
      known && `This path does not exist, but "${known}" does: remove the trailing slash.`,
    );
  }

  #onSend(
    request: FastifyRequest,
    reply: FastifyReply,
    payload: unknown,
    done: (error?: Error | null, payload?: unknown) => void,
  ): void {
    const sent = this.#caching.of(request, reply, payload);
    if (sent === 'precondition_failed') {
      // They describe the representation that is not sent.
      for (const name of ['cache-control', 'content-encoding', 'etag', 'link']) reply.removeHeader(name);
      return done(new ApiError(sent));
    }
    this.#setCommonHeaders(request, reply, sent.headers);
    if (routeConfigOf(request).probe !== true) this.#responded(request, reply);
    done(null, sent.payload);
  }

  /** The headers of every response, at the last moment, so that none of them is stale. */
  #setCommonHeaders(request: FastifyRequest, reply: FastifyReply, caching: Headers): void {
    const { id, raw, headers } = request;
    request.decision ??= this.admission.describeAddress(this.#addressOf(request));
    // The next bytes of the connection could be the rest of the body.
    const isArriving = hasBody(raw) && !raw.complete;
    if (this.#connections.isLast(raw) || isArriving || isBodyAborted(raw))
      reply.header('connection', 'close');
    reply.headers(commonHeaders(this, id, request.decision, headers.origin)).headers(caching);
  }

  /** Responds to a target that is no path, or cannot be decoded. It reaches no hook, so the decision and the headers are made here. */
  async rejectTarget(request: FastifyRequest, reply: FastifyReply): Promise<void> {
    const { admission } = this;
    this.#begun(request);
    const address = this.#addressOf(request);
    const isFree = isPreflight(request.method, request.headers);
    request.decision = isFree
      ? admission.describeAddress(address)
      : await admission.decide(request.raw, address);
    this.#setCommonHeaders(request, reply, this.#caching.ofError());
    const detail = 'The URL is neither a path nor of HTTP, or cannot be decoded: check its percent-encoding.';
    if (isFree) reply.code(204).headers(PREFLIGHT_HEADERS).send();
    else sendError(lengthError(request.raw.url) ?? new ApiError('malformed_request', detail), request, reply);
    this.#responded(request, reply);
  }

  #begun(request: FastifyRequest): void {
    for (const observer of this.observers) observer.begun?.(request);
  }

  #responded(request: FastifyRequest, reply: FastifyReply): void {
    for (const observer of this.observers) observer.responded(request, reply);
  }
}
