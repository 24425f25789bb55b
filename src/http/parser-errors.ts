import { type IncomingMessage, type Server, STATUS_CODES } from 'node:http';
import type { Duplex } from 'node:stream';
import type { ConnectionError } from 'fastify';
import { ApiError } from '../errors/api-error.js';
import { errorBody } from '../errors/error-body.js';
import { errorOf } from '../errors/error.filter.js';
import type { ErrorCode } from '../errors/error-codes.js';
import { newRequestId, requestIdOf } from './request.js';
import { abortBody } from './bodies.js';
import { peerAddressOf } from './client-address.js';
import { commonHeaders, METHOD_LIST } from './common-headers.js';
import type { SocketResponse } from './observer.js';
import type { RequestPipeline } from './pipeline.js';
import { ClientConnection } from './sockets/client-connection.js';

/** Responds to bytes that Node's parser rejects, and to requests that time out: both have only a connection. */
export function parserErrorHandler(pipeline: RequestPipeline) {
  return (error: ConnectionError, duplex: Duplex): void => {
    const socket = ClientConnection.of(duplex);
    if (socket.isInputIgnored) return;
    if (error.code === 'ECONNRESET' || !socket.writable) {
      socket.destroy();
      return;
    }
    socket.ignoreInput();
    const { requests } = socket;
    // Trailers follow a body.
    const code = codeOf(error, socket.isInFirstLine && requests.arriving === undefined);
    // In the middle of a body it is that request's error: it was counted already, and gets a response of its own.
    if (requests.arriving !== undefined) return abortBody(requests.arriving, new ApiError(code));
    // Bytes after the last request of a connection are ignored (RFC 9112 section 9.6).
    if (requests.isClosing) return;
    const address = peerAddressOf(socket.remoteAddress);
    void pipeline.admission.chargeAddress(address).then((decision) => {
      const response = errorOf(decision, new ApiError(code));
      requests.closeWith(() =>
        respond(socket, { id: newRequestId(), address, decision, error: response }, pipeline),
      );
    });
  };
}

/** Without listeners, Node responds to these by itself, or not at all. */
export function handleUnusualRequests(server: Server, pipeline: RequestPipeline): void {
  // The request pipeline responds 417, after admission.
  server.on('checkExpectation', (request, response) => server.emit('request', request, response));
  server.on('connect', (request: IncomingMessage, duplex: Duplex) => {
    const socket = ClientConnection.of(duplex);
    // Node.js has removed its own listeners.
    socket.on('error', () => socket.destroy());
    socket.on('timeout', () => socket.destroy());
    if (socket.requests.isClosing) return;
    socket.ignoreInput();
    const address = peerAddressOf(socket.remoteAddress);
    void pipeline.admission.decide(request, address).then((decision) => {
      const error = errorOf(decision, connectNotAllowed());
      socket.requests.closeWith(() =>
        respond(
          socket,
          { id: requestIdOf(request), address, decision, error },
          pipeline,
          request.headers.accept,
        ),
      );
    });
  });
}

const connectNotAllowed = (): ApiError =>
  new ApiError('method_not_allowed', 'CONNECT is not supported.', { headers: { allow: METHOD_LIST } });

function codeOf({ code }: ConnectionError, isInFirstLine: boolean): ErrorCode {
  switch (code) {
    case 'ERR_HTTP_REQUEST_TIMEOUT':
      return 'request_timeout';
    case 'HPE_HEADER_OVERFLOW':
      return isInFirstLine ? 'uri_too_long' : 'headers_too_large';
    case 'HPE_CHUNK_EXTENSIONS_OVERFLOW':
      return 'body_too_large';
    default:
      return 'malformed_request';
  }
}

/** The `Origin` of bytes that never became a request: a page may read the response where every origin is allowed. */
const UNKNOWN_ORIGIN = 'null';

function respond(
  socket: ClientConnection,
  response: SocketResponse,
  pipeline: RequestPipeline,
  accept?: string,
): void {
  const { id, decision, error } = response;
  for (const observer of pipeline.observers) observer.respondedOnSocket?.(response);
  const { mediaType, text } = errorBody(error, accept);
  const headers = {
    ...error.headers,
    'content-type': mediaType,
    'content-length': String(Buffer.byteLength(text)),
    date: new Date().toUTCString(),
    connection: 'close',
    ...pipeline.cors.vary('Accept'),
    ...commonHeaders(pipeline, id, decision, UNKNOWN_ORIGIN),
  };
  const lines = Object.entries(headers).map(([name, value]) => `${name}: ${value}\r\n`);
  socket.write(`HTTP/1.1 ${error.status} ${STATUS_CODES[error.status]}\r\n${lines.join('')}\r\n${text}`);
  socket.destroySoon();
}
