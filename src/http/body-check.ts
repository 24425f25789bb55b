import type { IncomingHttpHeaders, IncomingMessage } from 'node:http';
import { ApiError } from '../errors/api-error.js';

/** Methods whose body has no meaning (RFC 9110 sections 9.3.1, 9.3.2 and 9.3.5): it is not read. */
const WITHOUT_BODY: ReadonlySet<string | undefined> = new Set(['GET', 'HEAD', 'DELETE']);

export const isBodyIgnored = ({ method }: IncomingMessage): boolean => WITHOUT_BODY.has(method);

/**
 * Checks the headers about the body: 413, 415, in this order. A body without a length is measured while it is read.
 *
 * @throws ApiError
 */
export function checkBodyHeaders(request: IncomingMessage, bodyBytesMax: number): void {
  const { headers } = request;
  if (!isBodyIgnored(request) && hasBody(request)) {
    if (Number(headers['content-length'] ?? 0) > bodyBytesMax) throw bodyTooLarge(bodyBytesMax);
    if (!isPlainJson(headers)) throw unsupportedMediaType(request);
  }
}

/** @throws ApiError if `Expect` is anything but 100-continue (RFC 9110 section 10.1.1) */
export function checkExpectation({ headers: { expect } }: IncomingMessage): void {
  if (expect !== undefined && expect.toLowerCase() !== '100-continue')
    throw new ApiError('expectation_failed');
}

/** RFC 9112 section 3.2: two programs could read two different hosts. A repeated header comes joined with a comma. */
export function checkHost({ headers: { host }, httpVersion }: IncomingMessage): void {
  if (host === undefined) {
    if (httpVersion === '1.1') throw new ApiError('malformed_request', 'The Host header is missing.');
  } else if (!HOST.test(host)) {
    const fault = host.includes(',') ? 'is repeated' : 'must be a host with an optional port';
    throw new ApiError('malformed_request', `The Host header ${fault}.`);
  }
}

/** `uri-host [ ":" port ]` of RFC 3986, not empty (RFC 9110 section 4.2.1): a name, an IPv4 address or one in brackets. */
const HOST = /^(?:\[[\d.:A-Fa-f]+\]|(?:[-.\w~!$&'()*+;=]|%[\dA-Fa-f]{2})+)(?::\d*)?$/;

export const bodyTooLarge = (bodyBytesMax: number): ApiError =>
  new ApiError('body_too_large', `The body is larger than ${bodyBytesMax} bytes.`);

/** Says what would be accepted: RFC 9110 section 15.5.16 and, for PATCH, RFC 5789 section 2.2. */
export const unsupportedMediaType = ({ method }: IncomingMessage): ApiError =>
  new ApiError('unsupported_media_type', undefined, {
    headers: {
      'accept-encoding': 'identity',
      ...(method === 'PATCH' && { 'accept-patch': 'application/json' }),
    },
  });

export const hasBody = ({ headers }: IncomingMessage): boolean =>
  headers['transfer-encoding'] !== undefined || Number(headers['content-length'] ?? 0) > 0;

/** JSON in UTF-8, also under its common alias, and in no coding: JSON has no other character set, and a coding could hide a huge body. */
function isPlainJson(headers: IncomingHttpHeaders): boolean {
  if (!isAbsentOr('identity', headers['content-encoding'])) return false;
  if (!isAbsentOr('chunked', headers['transfer-encoding'])) return false;
  const [mediaType = '', ...parameters] = (headers['content-type'] ?? '').toLowerCase().split(';');
  if (mediaType.trim() !== 'application/json') return false;
  return parameters
    .map((parameter) => parameter.trim())
    .every((parameter) => !parameter.startsWith('charset=') || /^charset="?utf-?8"?$/.test(parameter));
}

const isAbsentOr = (harmless: string, coding: string | undefined): boolean =>
  coding === undefined || coding.trim().toLowerCase() === harmless;
