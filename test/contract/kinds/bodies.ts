import type { Kind } from '../kind.js';
import { bearer, CHUNKED, inChunks, JSON_TYPE, lengthOf, PET, post, request } from '../request-bytes.js';

/** 65,537 bytes of JSON: one more than the service takes. */
const TOO_LARGE = JSON.stringify({ name: 'x'.repeat(65_537 - '{"name":""}'.length) });

/** What is wrong with a body, before it is read or after: 400, 413, 415 and 417. */
export const BODIES: readonly Kind[] = [
  {
    kind: 'no body',
    bytes: ({ good }) => request('POST /v1/pets', [bearer(good)]),
    status: 400,
    code: 'invalid_body',
    limit: 'key',
  },
  {
    kind: 'JSON that breaks off',
    bytes: ({ good }) => post(good, '{"name":"Rex"'),
    status: 400,
    code: 'malformed_json',
    limit: 'key',
  },
  {
    kind: 'bytes that are no UTF-8',
    // One byte in latin1, a third of a character in UTF-8.
    bytes: ({ good }) => Buffer.from(post(good, PET.replace('e', '?')).replace('?', '\u00e9'), 'latin1'),
    status: 400,
    code: 'malformed_json',
    limit: 'key',
  },
  {
    kind: 'members that do not fit',
    bytes: ({ good }) => post(good, '{"name":7,"status":"lost"}'),
    status: 400,
    code: 'invalid_body',
    limit: 'key',
  },
  {
    kind: 'an Idempotency-Key that is none',
    bytes: ({ good }) => post(good, PET, [JSON_TYPE, 'Idempotency-Key: two words']),
    status: 400,
    code: 'invalid_idempotency_key',
    limit: 'key',
  },
  {
    kind: 'a body over the limit',
    bytes: ({ good }) => post(good, TOO_LARGE),
    status: 413,
    code: 'body_too_large',
    limit: 'key',
  },
  {
    kind: 'a body over the limit, in chunks',
    bytes: ({ good }) =>
      request('POST /v1/pets', [bearer(good), JSON_TYPE, CHUNKED], inChunks(TOO_LARGE, 10_000)),
    status: 413,
    code: 'body_too_large',
    limit: 'key',
  },
  {
    kind: 'a length that a double would round',
    bytes: ({ good }) =>
      request('POST /v1/pets', [bearer(good), JSON_TYPE, 'Content-Length: 9007199254740993'], '{'),
    status: 413,
    code: 'body_too_large',
    limit: 'key',
  },
  {
    kind: 'a chunk extension without end',
    bytes: ({ good }) =>
      request('POST /v1/pets', [bearer(good), JSON_TYPE, CHUNKED], `1;a=${'b'.repeat(20_000)}`),
    status: 413,
    code: 'body_too_large',
    limit: 'key',
  },
  {
    kind: 'another media type',
    bytes: ({ good }) => post(good, PET, ['Content-Type: text/plain']),
    status: 415,
    code: 'unsupported_media_type',
    limit: 'key',
  },
  {
    kind: 'another character set',
    bytes: ({ good }) => post(good, PET, [`${JSON_TYPE}; charset=utf-16`]),
    status: 415,
    code: 'unsupported_media_type',
    limit: 'key',
  },
  {
    kind: 'no media type',
    bytes: ({ good }) => post(good, PET, []),
    status: 415,
    code: 'unsupported_media_type',
    limit: 'key',
  },
  {
    kind: 'a content coding',
    bytes: ({ good }) => post(good, PET, [JSON_TYPE, 'Content-Encoding: gzip']),
    status: 415,
    code: 'unsupported_media_type',
    limit: 'key',
  },
  {
    kind: 'a transfer coding besides chunks',
    bytes: ({ good }) =>
      request(
        'POST /v1/pets',
        [bearer(good), JSON_TYPE, 'Transfer-Encoding: gzip, chunked'],
        inChunks(PET, 9),
      ),
    status: 415,
    code: 'unsupported_media_type',
    limit: 'key',
  },
  {
    kind: 'a transfer coding that does not tell the end',
    bytes: ({ good }) => request('POST /v1/pets', [bearer(good), JSON_TYPE, 'Transfer-Encoding: gzip'], PET),
    status: 415,
    code: 'unsupported_media_type',
    limit: 'key',
  },
  {
    kind: 'an expectation that nobody knows',
    bytes: ({ good }) => post(good, PET, [JSON_TYPE, 'Expect: the-unexpected']),
    status: 417,
    code: 'expectation_failed',
    limit: 'key',
  },
  {
    kind: 'an expectation beside 100-continue',
    bytes: ({ good }) => post(good, PET, [JSON_TYPE, 'Expect: 100-continue, the-unexpected']),
    // Node.js sends it by itself when 100-continue is among the expectations.
    bodyOnContinue: '',
    status: 417,
    code: 'expectation_failed',
    limit: 'key',
  },
  {
    kind: 'an expectation that nobody knows, GET',
    bytes: ({ good }) => request('GET /v1/pets', [bearer(good), 'Expect: 200-ok']),
    status: 417,
    code: 'expectation_failed',
    limit: 'key',
  },
  {
    kind: 'waiting for "100 Continue" without a key',
    bytes: () => request('POST /v1/pets', [JSON_TYPE, 'Expect: 100-continue', lengthOf(PET)]),
    bodyOnContinue: PET,
    status: 401,
    code: 'missing_api_key',
    limit: 'address',
  },
  {
    kind: 'waiting for "100 Continue" with too much',
    bytes: ({ good }) =>
      request('POST /v1/pets', [bearer(good), JSON_TYPE, 'Expect: 100-continue', 'Content-Length: 1000000']),
    bodyOnContinue: '',
    status: 413,
    code: 'body_too_large',
    limit: 'key',
  },
  {
    kind: 'a chunk without a size',
    bytes: ({ good }) => request('POST /v1/pets', [bearer(good), JSON_TYPE, CHUNKED], 'size\r\n'),
    status: 400,
    code: 'malformed_request',
    limit: 'key',
  },
  {
    kind: 'a chunk without a size, after a good one',
    bytes: ({ good }) => request('POST /v1/pets', [bearer(good), JSON_TYPE, CHUNKED], '1\r\n{\r\nsize\r\n'),
    status: 400,
    code: 'malformed_request',
    limit: 'key',
  },
  {
    kind: 'a chunk without a size, behind a request that is not answered yet',
    bytes: ({ good }) => request('POST /v1/pets', [bearer(good), JSON_TYPE, CHUNKED], 'size\r\n'),
    after: 1,
    status: 400,
    code: 'malformed_request',
    limit: 'key',
  },
  {
    kind: 'a chunk without a size, without a key',
    bytes: () => request('POST /v1/pets', [JSON_TYPE, CHUNKED], 'size\r\n'),
    status: 401,
    code: 'missing_api_key',
    limit: 'address',
  },
];
