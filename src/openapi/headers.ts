import { encodeCursor } from '../http/paging.js';
import type { DocumentedOperation } from './documented-operation.js';
import type { Json } from './schemas.js';

/** Every header of a response but those of HTTP itself (`Content-Type`, `Date`, `Connection` …), by component. */
export const HEADERS = {
  'X-RateLimit-Limit': header(
    60,
    'The request limit in force, of the window that has the fewest requests left.',
  ),
  'X-RateLimit-Remaining': header(59, 'How many requests that window has left.'),
  'X-RateLimit-Reset': header(
    1795167060,
    'When that window ends, in Unix seconds; with 429, when a request makes sense again.',
  ),
  'RateLimit-Policy': header(
    '"minute";q=60;w=60, "day";q=1000;w=86400',
    'Every window that counts: its limit `q` and its length `w` in seconds (draft-ietf-httpapi-ratelimit-headers-10). ' +
      'Without a valid key it is the one of the client address.',
  ),
  RateLimit: header(
    '"minute";r=59;t=31, "day";r=999;t=53071',
    'The state of each window: the requests left `r` and the seconds to its end `t`.',
  ),
  'X-Request-Id': header(
    '5f0c1de08a3b-2s',
    'What the service knows this request by: name it when you report a fault. It is what you sent in `X-Request-Id`, if ' +
      'that was 1 to 128 visible ASCII characters without quotes, commas, semicolons, angle brackets and backslashes.',
  ),
  'Access-Control-Allow-Origin': optionalHeader(
    '*',
    'The origins that may read the answer; with a configured list, the asking one if it is listed.',
  ),
  'Access-Control-Expose-Headers': optionalHeader(
    'ETag, Link, Location',
    'The headers that a script in a browser can read: all of these.',
  ),
  'Cache-Control': optionalHeader(
    'private, no-cache',
    'An answer to `GET` may be kept, but must be asked for again; anything else must not be kept.',
  ),
  Vary: optionalHeader('Authorization', 'What the answer differs by.'),
  ETag: header(
    '"Zq3pB8c1Yk0a7dXw2nT4vQ"',
    'The strong tag of the record or list, for `If-Match` and `If-None-Match`. After a write it is that of the record as ' +
      'it is now.',
  ),
  Link: header(
    `</v1/pets?limit=20&cursor=${encodeCursor('/v1/pets?', 21n)}>; rel="next", </v1/pets?limit=20>; rel="first"`,
    'The `next` page, absent on the last one, and the `first` (RFC 8288).',
  ),
  Location: header('/v1/pets/301', 'Where what was created can be read.'),
  'Idempotency-Replayed': optionalHeader(
    'true',
    'Present when this is the stored answer to an earlier request with the same `Idempotency-Key`.',
  ),
  Deprecation: header('@1795132800', 'Since when the operation is deprecated, in Unix seconds (RFC 9745).'),
  Sunset: header('Thu, 05 Dec 2030 00:00:00 GMT', 'When the operation ends (RFC 8594).'),
  DeprecationLink: header(
    '</docs#deprecation>; rel="deprecation", </docs#deprecation>; rel="sunset", </v1/pets>; rel="successor-version"',
    'What explains the deprecation, and what replaces the operation.',
  ),
  'WWW-Authenticate': header(
    'Bearer realm="petstore", error="invalid_token", error_description="The API key is not valid."',
    'The challenge of RFC 6750; without an error when no key was sent.',
  ),
  'Retry-After': header(31, 'The seconds to wait before the next attempt; at least 1.'),
} as const satisfies Record<string, Json>;

type Component = keyof typeof HEADERS;

/** Statuses that Node's parser can send before the route is known: they lack the headers that the operation adds. */
const BEFORE_THE_ROUTE: ReadonlySet<number> = new Set([400, 408, 414, 431]);

/** The headers of an operation's response with this status. */
export function headersOf(operation: DocumentedOperation, status: number): Json {
  const isSuccess = status < 400;
  return {
    ...always(
      'X-RateLimit-Limit',
      'X-RateLimit-Remaining',
      'X-RateLimit-Reset',
      'RateLimit-Policy',
      'RateLimit',
      'X-Request-Id',
      'Access-Control-Allow-Origin',
      'Access-Control-Expose-Headers',
      'Cache-Control',
      'Vary',
    ),
    ...(isSuccess && always('ETag')),
    ...(isSuccess && isList(operation) && always('Link')),
    ...(status === 201 && always('Location', 'Idempotency-Replayed')),
    ...(operation.deprecation && deprecationHeaders(status)),
    ...(status === 401 && always('WWW-Authenticate')),
    ...((status === 429 || status === 503) && always('Retry-After')),
    // Only a request in progress says when to come again.
    ...(status === 409 && { 'Retry-After': optional(HEADERS['Retry-After']) }),
  };
}

/** The headers of any error response to HEAD, which the document does not list by status. */
export const headersOfHeadErrors = (operation: DocumentedOperation): Json => ({
  ...headersOf(operation, 400),
  'WWW-Authenticate': optional(HEADERS['WWW-Authenticate']),
  'Retry-After': optional(HEADERS['Retry-After']),
});

const isList = ({ success }: DocumentedOperation): boolean => success.schema['type'] === 'array';

function deprecationHeaders(status: number): Json {
  if (!BEFORE_THE_ROUTE.has(status)) {
    return { ...always('Deprecation', 'Sunset'), Link: reference('DeprecationLink') };
  }
  const { Deprecation, Sunset, DeprecationLink: Link } = HEADERS;
  return { Deprecation: optional(Deprecation), Sunset: optional(Sunset), Link: optional(Link) };
}

const reference = (component: Component): Json => ({ $ref: `#/components/headers/${component}` });

const always = (...names: readonly Component[]): Json =>
  Object.fromEntries(names.map((name) => [name, reference(name)]));

function header(example: number | string, description: string): Json {
  const type = typeof example === 'number' ? 'integer' : 'string';
  return { description, required: true, schema: { type }, example };
}

function optionalHeader(example: number | string, description: string): Json {
  return optional(header(example, description));
}

function optional({ required: _required, ...rest }: Json): Json {
  return rest;
}
