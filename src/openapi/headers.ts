import { PATCH_TYPES } from '../http/bodies.js';
import { encodeCursor } from '../resources/pagination.js';
import type { Json } from './json.js';

/** Every header of a response but those of HTTP itself (`Content-Type`, `Date`, `Connection` …), by component. */
export const HEADERS = {
  'X-RateLimit-Limit': header(60, 'The limit of the window with the fewest requests remaining.'),
  'X-RateLimit-Remaining': header(59, 'The requests remaining in that window.'),
  'X-RateLimit-Reset': header(
    1795167060,
    'When that window resets, in Unix seconds. With a 429, and a 403 with Retry-After: when to retry.',
  ),
  'RateLimit-Policy': header(
    '"minute";q=60;w=60, "day";q=1000;w=86400',
    'The limit `q` and the length `w` in seconds of each window (draft-ietf-httpapi-ratelimit-headers-11). Without a ' +
      'valid key: the limit of the client address.',
  ),
  RateLimit: header(
    '"minute";r=59;t=31, "day";r=999;t=53071',
    'The requests remaining `r` in each window, and the seconds `t` until it resets.',
  ),
  'X-Request-Id': header(
    '5f0c1de08a3b-2s',
    'The id of this request in the log of the service: include it in a problem report. It is the `X-Request-Id` that you ' +
      'sent, if that has 1 to 128 letters, digits and characters of `_.:/+=@~%-`.',
  ),
  'Access-Control-Allow-Origin': optionalHeader(
    '*',
    'The origins that may read the response. If origins are configured: the origin of the request, if it is one of them.',
  ),
  'Access-Control-Expose-Headers': optionalHeader(
    'ETag, Link, Location',
    'The headers that scripts in a browser may read: all headers described here.',
  ),
  'Cache-Control': optionalHeader(
    'private, no-cache',
    'A response to `GET` may be stored but must be revalidated. Any other response must not be stored.',
  ),
  Vary: optionalHeader(
    'Authorization',
    'The request headers that the response depends on: for an error, at least `Accept`.',
  ),
  ETag: header(
    '"Zq3pB8c1Yk0a7dXw2nT4vQ"',
    'A strong entity tag of the resource, for `If-Match` and `If-None-Match`. After a write: the new one.',
  ),
  Link: header(
    `</v1/pets?limit=20&cursor=${encodeCursor('/v1/pets?', 21n)}>; rel="next", </v1/pets?limit=20>; rel="first"`,
    'Links to the `first` page and to the `next` page, which is absent on the last page (RFC 8288).',
  ),
  Location: header('/v1/pets/1', 'The URL of the created resource.'),
  'Idempotency-Replayed': optionalHeader(
    'true',
    'Present when this is the stored response to an earlier request with the same `Idempotency-Key`.',
  ),
  Deprecation: header('@1795132800', 'When the operation was deprecated, in Unix seconds (RFC 9745).'),
  Sunset: header('Thu, 05 Dec 2030 00:00:00 GMT', 'When the operation is removed (RFC 8594).'),
  DeprecationLink: header(
    '</docs#deprecation>; rel="deprecation", </docs#deprecation>; rel="sunset", </v1/pets?id=1>; rel="successor-version"',
    'Links to the documentation of the deprecation and to the successor of the operation.',
  ),
  'WWW-Authenticate': header(
    'Bearer realm="petstore", error="invalid_token", error_description="The API key is not valid."',
    'The challenge (RFC 6750). It has no `error` if no key was sent.',
  ),
  'Accept-Encoding': header('identity', 'The `Content-Encoding` that a body may have.'),
  'Accept-Patch': optionalHeader(
    PATCH_TYPES.join(', '),
    'The media types of the body of a `PATCH` (RFC 5789).',
  ),
  'Retry-After': header(31, 'The seconds to wait before you retry; at least 1.'),
} as const satisfies Record<string, Json>;

type Component = keyof typeof HEADERS;

/** The properties of an operation that determine the headers of its responses. */
interface Traits {
  readonly method: string;
  readonly isList: boolean;
  readonly isDeprecated: boolean;
}

/** The headers of an operation's response with this status. */
export function headersOf(status: number, { method, isList, isDeprecated }: Traits): Json {
  const isSuccess = status < 400;
  return {
    ...always('X-RateLimit-Limit', 'X-RateLimit-Remaining', 'X-RateLimit-Reset'),
    ...always('RateLimit-Policy', 'RateLimit', 'X-Request-Id', 'Cache-Control', 'Vary'),
    ...always('Access-Control-Allow-Origin', 'Access-Control-Expose-Headers'),
    ...(isSuccess && status !== 204 && always('ETag')),
    ...(isSuccess && isList && always('Link')),
    ...(status === 201 && always('Location')),
    ...(status === 201 && method === 'post' && always('Idempotency-Replayed')),
    ...(isDeprecated && deprecationHeaders(status)),
    ...(status === 415 && always('Accept-Encoding', 'Accept-Patch')),
    ...(status === 401 && always('WWW-Authenticate')),
    ...((status === 429 || status === 503) && always('Retry-After')),
    // Only sent for a request in progress, or a suspension that ends within a day.
    ...((status === 409 || status === 403) && { 'Retry-After': optional(HEADERS['Retry-After']) }),
  };
}

/** The responses of the handler, which announce its removal. */
const OF_HANDLER: ReadonlySet<number> = new Set([200, 304, 404, 410]);

function deprecationHeaders(status: number): Json {
  if (OF_HANDLER.has(status)) {
    return { ...always('Deprecation', 'Sunset'), Link: reference('DeprecationLink') };
  }
  // A 412 has no Link, because that describes the representation. A 500 or 503 may come from the handler or before it.
  if (status === 412) return always('Deprecation', 'Sunset');
  if (status < 500) return {};
  return {
    Deprecation: optional(HEADERS.Deprecation),
    Sunset: optional(HEADERS.Sunset),
    Link: optional(HEADERS.DeprecationLink),
  };
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
