import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { ERROR_CODES, type ErrorCode } from '../src/errors/error-codes.js';
import { OPERATIONS } from './support/document.js';
import { bytesOf, ERROR_REQUESTS, REQUESTS, type RequestParts } from './support/http/operation-requests.js';
import { type Keys, type ServiceInState, startInState } from './support/http/service-states.js';
import { expectSound, type Limit } from './support/http/sound-response.js';
import { Connection } from './support/wire.js';

/** An error of a request. Of those of one step a request can have only one. */
interface FieldError {
  readonly step: string;
  readonly code: ErrorCode;
  readonly change: (request: RequestParts, keys: Keys) => RequestParts;
}

const fault = (step: string, code: ErrorCode): FieldError => ({ step, code, ...ERROR_REQUESTS[code] });

/** In the order in which they are reported. */
const FAULTS: readonly FieldError[] = [
  fault('key', 'missing_api_key'),
  fault('key', 'invalid_api_key'),
  fault('key', 'revoked_api_key'),
  fault('key', 'expired_api_key'),
  fault('key', 'api_key_suspended'),
  fault('target', 'uri_too_long'),
  fault('host', 'malformed_request'),
  fault('route', 'not_found'),
  fault('route', 'method_not_allowed'),
  fault('expectation', 'expectation_failed'),
  {
    ...fault('route', 'operation_removed'),
    // Its body is ignored, so that only errors of values could come before.
    change: (request) => ({
      ...request,
      method: 'GET',
      target: request.target.replace('pets', 'pets/1'),
    }),
  },
  fault('length', 'body_too_large'),
  fault('type', 'unsupported_media_type'),
  fault('form', 'malformed_json'),
  fault('value', 'invalid_body'),
];

/** What else `createPet` can have: of an earlier request, of its headers as a whole, or of the state of the service. */
const OTHERS: readonly ErrorCode[] = [
  ...(['api_key_banned', 'rate_limit_exceeded', 'read_only_api_key', 'service_unavailable'] as const),
  ...(['idempotency_key_reused', 'invalid_idempotency_key', 'request_in_progress'] as const),
  ...(['headers_too_large', 'internal_error', 'invalid_parameter', 'request_timeout'] as const),
];

const limitOf = (code: ErrorCode): Limit => (ERROR_CODES[code].status === 401 ? 'address' : 'key');

const onePerStep = (faults: readonly FieldError[]): readonly FieldError[] => [
  ...new Map(faults.map((one) => [one.step, one])).values(),
];

/** Sends a request with these errors, the last one first, and expects a response. */
function expectResponse(
  { service, keys, nowMs }: ServiceInState,
  operation: string,
  faults: readonly Pick<FieldError, 'change'>[],
  expected: { readonly status?: number; readonly code?: ErrorCode; readonly limit?: Limit },
): Promise<void> {
  return Connection.with(service.port, async (connection) => {
    const good = REQUESTS[operation]?.(keys) as RequestParts;
    const sentAtMs = nowMs();
    // Each sees an `Origin`, so that the response has its CORS headers.
    const request = faults.reduceRight((one, { change }) => change(one, keys), good);
    connection.send(bytesOf({ ...request, headers: { ...request.headers, Origin: 'null' } }));
    const { code } = expected;
    const status = expected.status ?? (code === undefined ? 200 : ERROR_CODES[code].status);
    const limit = expected.limit ?? (code === undefined ? 'key' : limitOf(code));
    expectSound(await connection.response(), { status, code, limit, sentAtMs });
  });
}

describe('of several errors of a request, the first in the order of the contract is reported', () => {
  let running: ServiceInState;
  beforeAll(async () => {
    running = await startInState('future');
  });
  afterAll(() => running.close());

  it('of all errors of createPet', () => {
    const tried = new Set([...FAULTS.map(({ code }) => code), ...OTHERS]);
    const { codes = [] } = OPERATIONS.find(({ id }) => id === 'createPet') ?? {};
    expect(codes.filter((code) => !tried.has(code))).toEqual([]);
  });

  it('without any: 201', () => expectResponse(running, 'createPet', [], { status: 201 }));

  it.each(FAULTS)('one: $code', (one) => expectResponse(running, 'createPet', [one], one));

  it.each(
    FAULTS.flatMap((first, index) =>
      FAULTS.slice(index + 1)
        .filter(({ step }) => step !== first.step)
        .map((second) => [first.code, second.code, first, second] as const),
    ),
  )('%s comes before %s', (_, __, first, second) =>
    expectResponse(running, 'createPet', [first, second], first),
  );

  it('all compatible ones: each in turn, once earlier ones are fixed', async () => {
    for (const [index, one] of FAULTS.entries()) {
      const later = FAULTS.slice(index + 1).filter(({ step }) => step !== one.step);
      await expectResponse(running, 'createPet', [one, ...onePerStep(later)], one);
    }
  });
});

describe('before every other error comes', () => {
  const others = onePerStep(FAULTS.filter(({ step }) => step !== 'key'));
  const noKey = fault('key', 'missing_api_key');

  it('429 of the address, for a request without a key', async () => {
    const running = await startInState('limited');
    const expected = { code: 'rate_limit_exceeded', limit: 'address' } as const;
    await expectResponse(running, 'createPet', [noKey, ...others], expected);
    await running.close();
  });

  it('503, for a key that cannot be looked up; without a key it is 401', async () => {
    const running = await startInState('no database');
    const expected = { code: 'service_unavailable', limit: 'address' } as const;
    await expectResponse(running, 'createPet', others, expected);
    await expectResponse(running, 'createPet', [noKey, ...others], noKey);
    await running.close();
  });
});

describe('errors only the handler detects', () => {
  const absent = fault('record', 'pet_not_found');
  const changed = fault('condition', 'precondition_failed');
  const before = FAULTS.filter(({ step }) => step === 'key' || step === 'expectation');
  let running: ServiceInState;
  beforeAll(async () => {
    running = await startInState('ordinary');
  });
  afterAll(() => running.close());

  it.each([absent, changed])('come last: $code', async (last) => {
    await expectResponse(running, 'getPet', [last], last);
    for (const one of before) await expectResponse(running, 'getPet', [one, last], one);
  });

  it('an unknown record comes before a condition that does not hold', () =>
    expectResponse(running, 'getPet', [absent, changed], absent));
});
