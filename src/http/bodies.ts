import type { IncomingMessage, ServerResponse } from 'node:http';
import { Readable } from 'node:stream';
import { ApiError } from '../errors/api-error.js';
import { UnavailableError } from '../errors/database-errors.js';

/** Bytes of all bodies still arriving: a thousand of the largest. */
const ARRIVING_BYTES_MAX = 64 * 1024 * 1024;

/** The share of that for one client address. */
const ADDRESS_SHARE = 0.25;

/** A chunk costs as much as a kilobyte. The contract allows one per 16 bytes of the largest body; twice that, because the network may split chunks. */
const BYTES_PER_CHUNK = 8;
const CHUNKS_MIN = 1024;

/** Why a body is incomplete: unparsable bytes, a time-out or a closed connection. */
const abortedBodies = new WeakMap<IncomingMessage, ApiError>();

/** The streams of bodies that are still arriving. */
const streams = new WeakMap<IncomingMessage, Readable>();

/** Aborts a request with an incomplete body, unless it already has a response. */
export function abortBody(request: IncomingMessage, error: ApiError): void {
  abortedBodies.set(request, error);
  // If the body is not being read yet, `checkFraming` finds the error.
  streams.get(request)?.destroy(error);
}

/** Whether nothing more can be read from a request's connection. */
export const isBodyAborted = (request: IncomingMessage): boolean => abortedBodies.has(request);

/** @throws ApiError if the body was aborted */
export function checkFraming(request: IncomingMessage): void {
  const broken = abortedBodies.get(request);
  if (broken !== undefined) throw broken;
}

/** Only for the log: the client is gone. */
export const incompleteBody = (cause?: unknown): ApiError =>
  new ApiError('malformed_request', 'The body is incomplete.', { cause });

/** Replaces a body that is not read: an empty stream that reports the length from the request. */
export const emptyBody = ({ headers }: IncomingMessage): Readable =>
  Object.assign(Readable.from([]), { receivedEncodedLength: Number(headers['content-length'] ?? 0) });

/** The bodies still arriving. They are buffered in memory, so their bytes are limited in total and per client address. */
export class ArrivingBodies {
  #bytes = 0;
  readonly #bytesOf = new Map<string, number>();

  /** @param bytesMax of one body */
  constructor(private readonly bytesMax: number) {}

  /**
   * The stream from which Fastify reads a body: the request itself if it is complete. Otherwise the rest may be
   * invalid, so it needs a separate stream: destroying the request itself would lose the response. The stream
   * fails with `body_too_large`, or with an UnavailableError if all bodies exceed their limit.
   *
   * @throws ApiError malformed_request if the client has disconnected: Fastify would wait for the body forever
   */
  read(request: IncomingMessage, response: ServerResponse, clientAddress: string): Readable {
    if (request.destroyed) throw incompleteBody();
    if (request.complete) return request;
    const body = new Readable({ read: () => undefined });
    let bytes = Buffer.alloc(0);
    let length = 0;
    let chunks = 0;
    const isChunked = request.headers['content-length'] === undefined;
    // Passed on whole, because each push costs time.
    const take = (piece: Buffer): void => {
      const end = length + piece.length;
      if (!this.#add(clientAddress, piece.length))
        body.destroy(new UnavailableError('overloaded', 'too many bodies are arriving'));
      else if (isChunked && (chunks += 1) > Math.max(CHUNKS_MIN, this.bytesMax / BYTES_PER_CHUNK))
        body.destroy(new ApiError('body_too_large', 'The body comes in too many small chunks.'));
      else if (end > this.bytesMax) body.destroy(bodyTooLarge(this.bytesMax));
      else if (end > bytes.length)
        bytes = Buffer.concat([bytes], Math.min(this.bytesMax, Math.ceil(1.25 * end)));
      piece.copy(bytes, length);
      length = end;
    };
    request.on('data', take);
    request.once('end', () => {
      body.push(bytes.subarray(0, length));
      body.push(null);
    });
    body.once('close', () => {
      request.off('data', take).pause();
      this.#add(clientAddress, -length);
    });
    // Nothing else reports the end of a body that is no longer read, such as one too large.
    response.once('close', () => body.destroy(incompleteBody()));
    // The client may disconnect when reading stops.
    body.on('error', () => undefined);
    request.on('error', (error) => body.destroy(incompleteBody(error)));
    streams.set(request, body);
    return body;
  }

  /** Returns whether the limits still hold. */
  #add(clientAddress: string, bytes: number): boolean {
    const ofAddress = (this.#bytesOf.get(clientAddress) ?? 0) + bytes;
    if (ofAddress > 0) this.#bytesOf.set(clientAddress, ofAddress);
    else this.#bytesOf.delete(clientAddress);
    this.#bytes += bytes;
    return this.#bytes <= ARRIVING_BYTES_MAX && ofAddress <= ARRIVING_BYTES_MAX * ADDRESS_SHARE;
  }
}

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
  if (isBodyIgnored(request)) return;
  if (Number(headers['content-length'] ?? 0) > bodyBytesMax) throw bodyTooLarge(bodyBytesMax);
  // Also without a body: Fastify would parse the empty one by its type.
  if ((hasBody(request) || headers['content-type'] !== undefined) && !isPlainJson(request))
    throw unsupportedMediaType(request);
}

/** @throws ApiError if a body that is not read has a coding besides `chunked`: another program could see another end of it */
export function checkTransferCoding(request: IncomingMessage): void {
  if (isBodyIgnored(request) && !isAbsentOr('chunked', request.headers['transfer-encoding']))
    throw new ApiError('malformed_request', 'The only Transfer-Encoding is chunked.');
}

/** @throws ApiError if `Expect` is anything but 100-continue (RFC 9110 section 10.1.1) */
export function checkExpectation({ headers: { expect } }: IncomingMessage): void {
  if (expect !== undefined && expect.toLowerCase() !== '100-continue')
    throw new ApiError('expectation_failed');
}

/** RFC 9112 section 3.2: programs could disagree about the host. Repeated headers are joined with a comma. */
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
      ...(method === 'PATCH' && { 'accept-patch': PATCH_TYPES.join(', ') }),
    },
  });

export const hasBody = ({ headers }: IncomingMessage): boolean =>
  headers['transfer-encoding'] !== undefined || Number(headers['content-length'] ?? 0) > 0;

const JSON_TYPE = 'application/json';

/** A PATCH body is a JSON Merge Patch (RFC 7396), sent under either media type. `null` is invalid: no member can be removed. */
export const PATCH_TYPES = [JSON_TYPE, 'application/merge-patch+json'];

/** JSON in UTF-8, or its alias `utf8`, without a coding: JSON has no other character set, and a coding could hide a huge body. */
function isPlainJson({ method, headers }: IncomingMessage): boolean {
  if (!isAbsentOr('identity', headers['content-encoding'])) return false;
  if (!isAbsentOr('chunked', headers['transfer-encoding'])) return false;
  const [mediaType = '', ...parameters] = (headers['content-type'] ?? '').toLowerCase().split(';');
  if (!(method === 'PATCH' ? PATCH_TYPES : [JSON_TYPE]).includes(mediaType.trim())) return false;
  return parameters
    .map((parameter) => parameter.trim())
    .every((parameter) => !parameter.startsWith('charset=') || /^charset="?utf-?8"?$/.test(parameter));
}

const isAbsentOr = (harmless: string, coding: string | undefined): boolean =>
  coding === undefined || coding.trim().toLowerCase() === harmless;
