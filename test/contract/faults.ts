import type { ErrorCode } from '../../src/common/errors/error-codes.js';
import type { Keys } from './circumstances.js';
import { bearer, JSON_TYPE, lengthOf, PET, rawRequest } from './request-bytes.js';
import type { Described } from './sound-answer.js';

/** A request in its parts. As it stands it is a good one. */
export interface Parts {
  readonly method: string;
  readonly target: string;
  readonly key?: string | undefined;
  readonly host?: string | undefined;
  readonly expectation?: string;
  readonly type: string;
  readonly length: string;
  readonly body: string;
}

/** Something wrong with a request, and what it is answered when nothing else is wrong. */
export interface Fault {
  readonly fault: string;
  /** Of two faults on one step the request can have only one. */
  readonly step: 'key' | 'target' | 'host' | 'route' | 'expectation' | 'length' | 'type' | 'form' | 'value';
  readonly status: number;
  readonly code: ErrorCode;
  readonly describes: Described;
  readonly spoil: (parts: Parts, keys: Keys) => Parts;
}

/** From the one that comes first to the one that comes last. */
export const FAULTS: readonly Fault[] = [
  {
    fault: 'no key',
    step: 'key',
    status: 401,
    code: 'missing_api_key',
    describes: 'address',
    spoil: (parts) => ({ ...parts, key: undefined }),
  },
  {
    fault: 'a malformed key',
    step: 'key',
    status: 401,
    code: 'invalid_api_key',
    describes: 'address',
    spoil: (parts, { malformed }) => ({ ...parts, key: malformed }),
  },
  {
    fault: 'a revoked key',
    step: 'key',
    status: 401,
    code: 'revoked_api_key',
    describes: 'address',
    spoil: (parts, { revoked }) => ({ ...parts, key: revoked }),
  },
  {
    fault: 'a suspended key',
    step: 'key',
    status: 429,
    code: 'api_key_banned',
    describes: 'key',
    spoil: (parts, { suspended }) => ({ ...parts, key: suspended }),
  },
  {
    fault: 'a long target',
    step: 'target',
    status: 414,
    code: 'uri_too_long',
    describes: 'key',
    spoil: (parts) => ({ ...parts, target: `${parts.target}?${'x'.repeat(9000)}` }),
  },
  {
    fault: 'no Host',
    step: 'host',
    status: 400,
    code: 'malformed_request',
    describes: 'key',
    spoil: (parts) => ({ ...parts, host: undefined }),
  },
  {
    fault: 'an unknown path',
    step: 'route',
    status: 404,
    code: 'not_found',
    describes: 'key',
    spoil: (parts) => ({ ...parts, target: parts.target.replace('pets', 'nowhere') }),
  },
  {
    fault: 'an unknown method',
    step: 'route',
    status: 405,
    code: 'method_not_allowed',
    describes: 'key',
    spoil: (parts) => ({ ...parts, method: 'PUT' }),
  },
  {
    fault: 'an unmet expectation',
    step: 'expectation',
    status: 417,
    code: 'expectation_failed',
    describes: 'key',
    spoil: (parts) => ({ ...parts, expectation: 'the-unexpected' }),
  },
  // A GET, whose body is ignored, so that only errors of its values could come before.
  {
    fault: 'a removed operation',
    step: 'route',
    status: 410,
    code: 'operation_removed',
    describes: 'key',
    spoil: (parts) => ({ ...parts, method: 'GET', target: parts.target.replace('pets', 'pets/1') }),
  },
  {
    fault: 'too large a body',
    step: 'length',
    status: 413,
    code: 'body_too_large',
    describes: 'key',
    spoil: (parts) => ({ ...parts, length: 'Content-Length: 100000' }),
  },
  {
    fault: 'another media type',
    step: 'type',
    status: 415,
    code: 'unsupported_media_type',
    describes: 'key',
    spoil: (parts) => ({ ...parts, type: 'Content-Type: text/plain' }),
  },
  {
    fault: 'malformed JSON',
    step: 'form',
    status: 400,
    code: 'malformed_json',
    describes: 'key',
    spoil: (parts) => ({ ...parts, body: parts.body.replace('}', ']') }),
  },
  {
    fault: 'an invalid member',
    step: 'value',
    status: 400,
    code: 'invalid_body',
    describes: 'key',
    // As long as the valid name, so that Content-Length is right.
    spoil: (parts) => ({ ...parts, body: parts.body.replace('categoryId', 'categoryNo') }),
  },
];

/** The bytes of a good request with these faults. */
export function spoiltRequest(faults: readonly Pick<Fault, 'spoil'>[], keys: Keys): string {
  const good: Parts = {
    method: 'POST',
    target: '/v1/pets',
    key: keys.good,
    host: 'petstore.example',
    type: JSON_TYPE,
    length: lengthOf(PET),
    body: PET,
  };
  return bytesOf(faults.reduce((parts, { spoil }) => spoil(parts, keys), good));
}

/** As many of them as one request can have. */
export function onePerStep(faults: readonly Fault[]): readonly Fault[] {
  return [...new Map(faults.map((fault) => [fault.step, fault])).values()];
}

function bytesOf({ method, target, key, host, expectation, type, length, body }: Parts): string {
  const headers = [
    host !== undefined && `Host: ${host}`,
    key !== undefined && bearer(key),
    expectation !== undefined && `Expect: ${expectation}`,
    type,
    length,
  ];
  return rawRequest(
    `${method} ${target} HTTP/1.1`,
    headers.filter((line) => line !== false),
    body,
  );
}
