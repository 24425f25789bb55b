import type { IncomingMessage } from 'node:http';
import { ApiError } from './api-error.js';

/** Requests whose `Expect` asks for something else than 100-continue; Node tells them apart before the request event. */
const unmetExpectations = new WeakSet<IncomingMessage>();

export const markUnmetExpectation = (request: IncomingMessage): void => {
  unmetExpectations.add(request);
};

/**
 * What can be said of a request's body before a byte of it is read: 417, 413, 415, then what is malformed, in this
 * order. A body without a length is measured while it is read.
 */
export function checkBeforeBody(request: IncomingMessage, bodyBytesMax: number): void {
  const { headers, method } = request;
  if (unmetExpectations.has(request)) throw new ApiError('expectation_failed');
  if (method !== 'GET' && method !== 'HEAD' && hasBody(request)) {
    if (Number(headers['content-length'] ?? 0) > bodyBytesMax) throw bodyTooLarge(bodyBytesMax);
    if (!isPlainJson(headers['content-type'], headers['content-encoding'])) {
      throw new ApiError('unsupported_media_type');
    }
  }
  if (request.httpVersion === '1.1' && headers.host === undefined) {
    throw new ApiError('malformed_request', 'The Host header is missing.');
  }
}

/** The rest of such a body is not waited for: the connection closes. */
export const bodyTooLarge = (bodyBytesMax: number): ApiError =>
  new ApiError('body_too_large', `The body is larger than ${bodyBytesMax} bytes.`, {
    headers: { connection: 'close' },
  });

const hasBody = ({ headers }: IncomingMessage): boolean =>
  headers['transfer-encoding'] !== undefined || Number(headers['content-length'] ?? 0) > 0;

/** JSON in UTF-8 and in no content coding: JSON has no other character set, and a coding could hide a huge body. */
function isPlainJson(type: string | undefined, coding: string | undefined): boolean {
  if (coding !== undefined && coding.trim().toLowerCase() !== 'identity') return false;
  const [mediaType = '', ...parameters] = (type ?? '').toLowerCase().split(';');
  if (mediaType.trim() !== 'application/json') return false;
  return parameters
    .map((parameter) => parameter.trim())
    .every((parameter) => !parameter.startsWith('charset=') || /^charset="?utf-8"?$/.test(parameter));
}
