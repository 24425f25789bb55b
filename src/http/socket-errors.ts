import { type IncomingMessage, type Server, ServerResponse, STATUS_CODES } from 'node:http';
import type { Socket } from 'node:net';
import type { Duplex } from 'node:stream';
import type { ConnectionError } from 'fastify';
import { ApiError } from './api-error.js';
import { markUnmetExpectation } from './body-check.js';
import { Cors } from './cors.js';
import type { Decision } from './decision.js';
import type { EdgeOptions } from './edge-options.js';
import type { ErrorCode } from './error-codes.js';
import { rateLimitHeaders } from './rate-limit-headers.js';

/** The request whose body a connection is still receiving, with its decision. */
const underWay = new WeakMap<
  Duplex,
  { readonly request: IncomingMessage; readonly decided: Promise<Decision> }
>();

/** Bytes that break off in the middle of a body belong to a request that was counted already. */
export function rememberUnderWay(request: IncomingMessage, decided: Promise<Decision>): void {
  const { headers } = request;
  if (headers['content-length'] === undefined && headers['transfer-encoding'] === undefined) return;
  underWay.set(request.socket, { request, decided });
}

/** Answers bytes that Node's parser refuses, and what comes too late: there is only a socket then. */
export function socketErrorHandler(options: EdgeOptions) {
  return (error: ConnectionError, socket: Socket): void => {
    if (error.code === 'ECONNRESET' || !socket.writable || hasBegunAnswer(socket)) {
      socket.destroy();
      return;
    }
    const receiving = underWay.get(socket);
    const isInBody = receiving !== undefined && !receiving.request.complete;
    const decided = isInBody
      ? receiving.decided
      : Promise.resolve(options.admission.chargeAddress(options.clientAddressOf(socket.remoteAddress)));
    void decided.then((decision) => {
      const answer = decision.refusal ?? new ApiError(codeOf(error));
      endWithError(socket, answer, decision, options);
    });
  };
}

/** Node answers these two by itself, or not at all, unless somebody listens. */
export function answerSocketErrors(server: Server, options: EdgeOptions): void {
  server.on('checkExpectation', (request, response) => {
    markUnmetExpectation(request);
    server.emit('request', request, response);
  });
  server.on('connect', (request: IncomingMessage, socket: Duplex) => {
    socket.on('error', () => socket.destroy());
    const address = options.clientAddressOf(request.socket.remoteAddress, request.headers);
    void options.admission.decide(request.headers, address).then((decision) => {
      const refusal = new ApiError('method_not_allowed', 'This service does not offer CONNECT.', {
        headers: { allow: 'GET, HEAD, POST, PATCH' },
      });
      endWithError(socket, decision.refusal ?? refusal, decision, options);
    });
  });
}

function codeOf({ code, rawPacket }: ConnectionError): ErrorCode {
  switch (code) {
    case 'ERR_HTTP_REQUEST_TIMEOUT':
      return 'request_timeout';
    case 'HPE_HEADER_OVERFLOW':
      // The first line never ended: it was the target that was too long.
      return !Buffer.isBuffer(rawPacket) || rawPacket.includes('\n') ? 'headers_too_large' : 'uri_too_long';
    case 'HPE_CHUNK_EXTENSIONS_OVERFLOW':
      return 'body_too_large';
    default:
      return 'malformed_request';
  }
}

/** Node keeps the answer under way on the socket, without documenting it; Fastify relies on it, too. */
function hasBegunAnswer(socket: Socket): boolean {
  const message: unknown = Reflect.get(socket, '_httpMessage');
  return message instanceof ServerResponse && message.headersSent;
}

function endWithError(socket: Duplex, error: ApiError, decision: Decision, options: EdgeOptions): void {
  if (!socket.writable) return;
  const body = JSON.stringify(error.body);
  const headers = {
    ...new Cors(options.corsOrigins).headers(undefined),
    ...rateLimitHeaders(decision, options.clock.nowMs()),
    ...error.headers,
    'content-type': 'application/json; charset=utf-8',
    'content-length': String(Buffer.byteLength(body)),
    date: new Date().toUTCString(),
    connection: 'close',
  };
  const lines = Object.entries(headers).map(([name, value]) => `${name}: ${value}\r\n`);
  socket.end(`HTTP/1.1 ${error.status} ${STATUS_CODES[error.status]}\r\n${lines.join('')}\r\n${body}`);
}
