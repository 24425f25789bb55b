import { bearer, CHUNKED, inChunks, JSON_TYPE, PET, post, request } from '../request-bytes.js';
import { PROBLEM, rows, error, BAD_TYPE, MALFORMED, send, BYTES_MAX, HALF_BODY } from './row.js';

const LONG_BODY = PET.padEnd(BYTES_MAX + 1);
const TOO_LARGE = error(413, 'body_too_large');

export const BODIES = [
  ...rows(error(400, 'invalid_body'), {
    'no body': ({ good }) => request('POST /v1/pets', [bearer(good)]),
    'a change without a member that is known': ({ good }) => send('PATCH /v1/pets/4', good, '{"other":1}'),
    'members of other types': ({ good }) => post(good, '{"name":7,"status":"lost"}'),
    '500 levels within each other': ({ good }) => post(good, `{"a":${'['.repeat(499)}${']'.repeat(499)}}`),
    'thousands of members': ({ good }) =>
      post(good, `{"name":"Rex"${Array.from({ length: 7000 }, (_, n) => `,"${n}":1`).join('')}}`),
  }),
  ...rows(error(400, 'malformed_json'), {
    'JSON that breaks off': ({ good }) => post(good, '{"name":"Rex"'),
    // One byte in latin1, a third of a character in UTF-8.
    'bytes that are no UTF-8': ({ good }) =>
      Buffer.from(post(good, PET.replace('e', '?')).replace('?', '\u00e9'), 'latin1'),
  }),
  ...rows(error(400, 'invalid_idempotency_key'), {
    'an Idempotency-Key of two words': ({ good }) =>
      post(good, PET, [JSON_TYPE, 'Idempotency-Key: two words']),
  }),
  ...rows(TOO_LARGE, {
    'a body over the limit': ({ good }) => post(good, LONG_BODY),
    'a body over the limit, in chunks': ({ good }) =>
      request('POST /v1/pets', [bearer(good), JSON_TYPE, CHUNKED], inChunks(LONG_BODY, 10_000)),
    'a length that a double would round': ({ good }) =>
      request('POST /v1/pets', [bearer(good), JSON_TYPE, 'Content-Length: 9007199254740993'], '{'),
    'a chunk extension without end': ({ good }) =>
      request('POST /v1/pets', [bearer(good), JSON_TYPE, CHUNKED], `1;a=${'b'.repeat(20_000)}`),
    'too long a body behind "100 Continue"': {
      bytes: ({ good }) =>
        request('POST /v1/pets', [
          bearer(good),
          JSON_TYPE,
          'Expect: 100-continue',
          'Content-Length: 1000000',
        ]),
      bodyOnContinue: '',
    },
  }),
  ...rows(BAD_TYPE, {
    'another media type': ({ good }) => post(good, PET, ['Content-Type: text/plain']),
    'another media type, and half of the body': {
      bytes: ({ good }) =>
        request('POST /v1/pets', [bearer(good), 'Content-Type: text/csv', 'Content-Length: 1000'], HALF_BODY),
      connection: 'close',
    },
    'another media type behind "100 Continue"': {
      bytes: ({ good }) =>
        request('POST /v1/pets', [
          bearer(good),
          'Content-Type: text/csv',
          'Expect: 100-continue',
          'Content-Length: 9',
        ]),
      ...{ bodyOnContinue: '', connection: 'close' },
    },
    'another character set': ({ good }) => post(good, PET, [`${JSON_TYPE}; charset=utf-16`]),
    'no media type': ({ good }) => post(good, PET, []),
    'a content coding': ({ good }) => post(good, PET, [JSON_TYPE, 'Content-Encoding: gzip']),
    'a transfer coding besides chunks': ({ good }) =>
      request(
        'POST /v1/pets',
        [bearer(good), JSON_TYPE, 'Transfer-Encoding: gzip, chunked'],
        inChunks(PET, 9),
      ),
    'a transfer coding without an end': ({ good }) =>
      request('POST /v1/pets', [bearer(good), JSON_TYPE, 'Transfer-Encoding: gzip'], PET),
  }),
  ...rows(error(417, 'expectation_failed'), {
    'an unknown expectation': ({ good }) => post(good, PET, [JSON_TYPE, 'Expect: the-unexpected']),
    // Node.js sends "100 Continue" by itself when that is among the expectations.
    'an unknown expectation beside 100-continue': {
      bytes: ({ good }) => post(good, PET, [JSON_TYPE, 'Expect: 100-continue, the-unexpected']),
      bodyOnContinue: '',
    },
    'an unknown expectation, GET': ({ good }) => request('GET /v1/pets', [bearer(good), 'Expect: 200-ok']),
  }),
  ...rows(MALFORMED, {
    'a chunk without a size': ({ good }) =>
      request('POST /v1/pets', [bearer(good), JSON_TYPE, CHUNKED], 'size\r\n'),
    'a chunk without a size, after a good one': ({ good }) =>
      request('POST /v1/pets', [bearer(good), JSON_TYPE, CHUNKED], '1\r\n{\r\nsize\r\n'),
    'a chunk without a size, behind a request that is still running': {
      bytes: ({ good }) => request('POST /v1/pets', [bearer(good), JSON_TYPE, CHUNKED], 'size\r\n'),
      after: 1,
    },
    'a chunk without a size, problem details': {
      bytes: ({ good }) =>
        request('POST /v1/pets', [bearer(good), JSON_TYPE, CHUNKED, `Accept: ${PROBLEM}`], 'size\r\n'),
      isProblem: true,
    },
    'a chunk without a size, for an unknown path': ({ good }) =>
      request('POST /v1/nowhere', [bearer(good), JSON_TYPE, CHUNKED], '1\r\n{\r\nsize\r\n'),
  }),
];
