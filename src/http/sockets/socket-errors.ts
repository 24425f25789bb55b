import { type IncomingMessage, type Server, STATUS_CODES } from 'node:http';
import type { Socket } from 'node:net';
import type { Duplex } from 'node:stream';
import type { ConnectionError, FastifyBaseLogger } from 'fastify';
import { ApiError } from '../../common/errors/api-error.js';
import { breakOffBody } from '../body-check.js';
import type { ErrorCode } from '../../common/errors/error-codes.js';
import type { InFlightRequests } from './in-flight-requests.js';
import { METHODS } from '../cors.js';
import type { HttpObserver, SocketAnswer } from '../observer.js';
import type { AdmissionPort } from '../../common/decision.js';
import { newRequestId, requestIdOf } from '../../common/request.js';
import { commonHeaders, type CommonHeadersOptions } from '../common-headers.js';
import type { ClientAddressOf } from '../client-address.js';

/** What a response on a bare socket needs. */
export interface SocketOptions extends CommonHeadersOptions {
  readonly admission: AdmissionPort;
  readonly clientAddressOf: ClientAddressOf;
  readonly logger: FastifyBaseLogger;
  readonly observer: HttpObserver;
}

/** The time in which a client can take the last answer: closing with bytes of it unread would reset the connection. */
const LINGER_MS = 1000;

/** Answers bytes that Node's parser refuses, and what comes too late: there is only a socket then. */
export function socketErrorHandler(options: SocketOptions, inFlight: InFlightRequests) {
  const refused = new WeakSet<Socket>();
  return (error: ConnectionError, socket: Socket): void => {
    // In the middle of a body it is that request's error: it was counted already, and has an answer of its own.
    const underWay = inFlight.receiving(socket);
    if (underWay !== undefined) breakOffBody(underWay.request, new ApiError(codeOf(error)));
    if (error.code === 'ECONNRESET') {
      socket.destroy();
    } else if (refused.has(socket)) {
      // More of the same bytes. Closing now would take the answer away.
    } else if (!socket.writable) {
      socket.destroy();
    } else if (underWay === undefined && inFlight.isClosing(socket)) {
      // Bytes behind the last request of a connection are ignored (RFC 9112 section 9.6).
    } else if (underWay === undefined) {
      refused.add(socket);
      const address = options.clientAddressOf(socket.remoteAddress);
      const code = codeOf(error);
      void options.admission.chargeAddress(address).then((decision) => {
        const answer = decision.rejection ?? new ApiError(code);
        const id = newRequestId();
        inFlight.afterLast(socket, () => answerOnSocket(socket, answer, { id, address, decision }, options));
      });
    } else if (underWay.response.headersSent) {
      inFlight.afterLast(socket, () => socket.destroySoon());
    }
  };
}

/** Node answers these by itself, or not at all, unless somebody listens. */
export function answerSocketErrors(server: Server, options: SocketOptions, inFlight: InFlightRequests): void {
  // Node would respond 417 by itself, without the headers and the body of an error.
  server.on('checkExpectation', (request, response) => server.emit('request', request, response));
  server.on('connect', (request: IncomingMessage, socket: Duplex) => {
    socket.on('error', () => socket.destroy());
    const address = options.clientAddressOf(request.socket.remoteAddress, request.headers);
    void options.admission.decide(request.headers, address).then((decision) => {
      const refusal = new ApiError('method_not_allowed', 'CONNECT is not supported.', {
        headers: { allow: METHODS },
      });
      const answer = decision.rejection ?? refusal;
      const about = { id: requestIdOf(request), address, decision };
      inFlight.afterLast(socket, () => answerOnSocket(socket, answer, about, options));
    });
  });
}

function codeOf({ code, rawPacket, bytesParsed }: ConnectionError): ErrorCode {
  switch (code) {
    case 'ERR_HTTP_REQUEST_TIMEOUT':
      return 'request_timeout';
    case 'HPE_HEADER_OVERFLOW':
      // The first line had not ended yet: it was the target that was too long.
      return Buffer.isBuffer(rawPacket) && !rawPacket.subarray(0, bytesParsed).includes('\n')
        ? 'uri_too_long'
        : 'headers_too_large';
    case 'HPE_CHUNK_EXTENSIONS_OVERFLOW':
      return 'body_too_large';
    default:
      return 'malformed_request';
  }
}

type About = Pick<SocketAnswer, 'id' | 'address' | 'decision'>;

function answerOnSocket(socket: Duplex, error: ApiError, about: About, options: SocketOptions): void {
  options.observer.answeredOnSocket({ ...about, status: error.status, error });
  endWithError(socket, error, about, options);
}

/** Answers on a socket that no request came of, and closes it when the client has had the time to read. */
export function endWithError(
  socket: Duplex,
  error: ApiError,
  about: Pick<About, 'id' | 'decision'>,
  options: SocketOptions,
): void {
  if (!socket.writable) return;
  const body = JSON.stringify(error.body);
  const headers = {
    ...error.headers,
    'content-type': 'application/json; charset=utf-8',
    'content-length': String(Buffer.byteLength(body)),
    date: new Date().toUTCString(),
    connection: 'close',
    ...options.cors.vary(),
    ...commonHeaders(options, about),
  };
  const lines = Object.entries(headers).map(([name, value]) => `${name}: ${value}\r\n`);
  socket.end(`HTTP/1.1 ${error.status} ${STATUS_CODES[error.status]}\r\n${lines.join('')}\r\n${body}`);
  setTimeout(() => socket.destroy(), LINGER_MS).unref();
}
