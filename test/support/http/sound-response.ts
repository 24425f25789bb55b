import { expect } from '@jest/globals';
import { ERROR_CODES, type ErrorCode } from '../../../src/errors/error-codes.js';
import { WINDOWS as KEY_WINDOWS } from '../../../src/auth/admission/windows.js';
import { HEADERS } from '../../../src/openapi/headers.js';
import { only, type WireResponse } from '../wire.js';

const REQUIRED = KEY_WINDOWS.filter(({ isRequired }) => isRequired);

/** Whose limit the rate-limit headers of a response describe. */
const WINDOWS = {
  key: REQUIRED.map(({ name }) => name),
  address: ['address'],
  documents: ['documents'],
};

export type Limit = keyof typeof WINDOWS;

export interface Expected {
  readonly status: number;
  /** Absent for a success. */
  readonly code?: ErrorCode | undefined;
  readonly limit: Limit;
  readonly isHead?: boolean | undefined;
  readonly isProblem?: boolean | undefined;
  /** The service's clock when the request was sent, in ms. */
  readonly sentAtMs: number;
}

const DAY_SECONDS = 86_400;

/** How far a clock that was read around a response may lie from the one it was made with. */
const TOLERANCE_SECONDS = 5;

/** Everything that the contract promises of every response, whatever was requested. */
export function expectSound(response: WireResponse, expected: Expected): void {
  const { status, body } = response;
  const { code, isHead = false } = expected;
  const found = status < 400 ? undefined : isHead ? code : (JSON.parse(body) as { code: unknown }).code;
  expect({ status, code: found }).toEqual({ status: expected.status, code });
  expectFraming(response, isHead);
  expectRateLimit(response, expected);
  // Two requests of the table without a key come without an `Origin`.
  if (code !== 'missing_api_key' || response.headers.has('access-control-allow-origin')) {
    expectCors(response);
  }
  expect(only(response, 'x-request-id')).toMatch(/^[\da-f]{12}-[\da-z]+$/);
  if (code !== undefined) expectError(response, code, expected);
}

const expectAbsent = ({ headers }: WireResponse, name: string): void =>
  expect({ [name]: headers.get(name) }).toEqual({ [name]: undefined });

function expectFraming(response: WireResponse, isHead: boolean): void {
  const dateMs = Date.parse(only(response, 'date'));
  expect(dateMs).toBeGreaterThan(response.openedAtMs - TOLERANCE_SECONDS * 1000);
  expect(dateMs).toBeLessThanOrEqual(Date.now());
  expect(['close', 'keep-alive']).toContain(only(response, 'connection'));
  expectAbsent(response, 'transfer-encoding');
  const { status } = response;
  if (status === 204 || (status === 304 && !isHead)) return expectAbsent(response, 'content-length');
  const length = integer(response, 'content-length');
  if (!isHead) expect(length).toBe(Buffer.byteLength(response.body));
}

/** Every header that is documented, but those that scripts read of every response. */
const EXPOSED = ['Allow', ...Object.keys(HEADERS)]
  .filter((name) => !/^Access-|^Cache-|^DeprecationLink/.test(name))
  .toSorted();

function expectCors(response: WireResponse): void {
  expect(only(response, 'access-control-allow-origin')).toBe('*');
  expect(only(response, 'access-control-expose-headers').split(', ').toSorted()).toEqual(EXPOSED);
}

/** The three X-RateLimit headers describe the tightest of the windows that the two structured ones list. */
function expectRateLimit(response: WireResponse, { limit: of, sentAtMs, code }: Expected): void {
  const items = (name: string, form: RegExp): (readonly [string, number, number])[] =>
    only(response, name)
      .split(', ')
      .map((item) => {
        expect(item).toMatch(form);
        const [, window = '', first, second] = form.exec(item) ?? [];
        return [window, Number(first), Number(second)];
      });
  const policies = items('ratelimit-policy', /^"(\w+)";q=(\d+);w=(\d+)$/);
  const states = items('ratelimit', /^"(\w+)";r=(\d+);t=(\d+)$/);
  const names = WINDOWS[of];
  expect([policies, states].map((list) => list.map(([name]) => name))).toEqual([names, names]);
  expect(policies.map(([, , seconds]) => seconds)).toEqual(
    of === 'key' ? REQUIRED.map(({ seconds }) => seconds) : [60],
  );

  const windows = policies.map(([, limit, seconds], index) => {
    const [, remaining = NaN, resetIn = NaN] = states[index] ?? [];
    expect(remaining).toBeLessThanOrEqual(limit);
    expect(resetIn).toBeGreaterThanOrEqual(1);
    expect(resetIn).toBeLessThanOrEqual(seconds);
    return { limit, remaining, seconds, resetIn };
  });
  const [tightest] = windows.sort((a, b) => a.remaining - b.remaining || b.seconds - a.seconds);
  expect(integer(response, 'x-ratelimit-limit')).toBe(tightest?.limit);
  expect(integer(response, 'x-ratelimit-remaining')).toBe(tightest?.remaining);

  const resetIn = integer(response, 'x-ratelimit-reset') - Math.floor(sentAtMs / 1000);
  expect(resetIn).toBeGreaterThanOrEqual(1);
  expect(resetIn).toBeLessThanOrEqual(DAY_SECONDS + TOLERANCE_SECONDS);
  // The end of a ban or suspension, too.
  const isRetried = response.status === 429 || code === 'api_key_suspended';
  const wanted = isRetried ? integer(response, 'retry-after') : (tightest?.resetIn ?? NaN);
  expect(Math.abs(resetIn - wanted)).toBeLessThanOrEqual(TOLERANCE_SECONDS);
}

function expectError(response: WireResponse, code: ErrorCode, { isHead, isProblem }: Expected): void {
  const { status } = response;
  expect(status).toBe(ERROR_CODES[code].status);
  const mediaType = isProblem === true ? 'application/problem+json' : 'application/json';
  expect(only(response, 'content-type')).toBe(`${mediaType}; charset=utf-8`);
  expect(only(response, 'vary').split(', ')).toContain('Accept');
  if (isHead === true) expect(response.body).toBe('');
  else expectErrorBody(JSON.parse(response.body) as Record<string, unknown>, code, isProblem);

  if (status === 401) expect(only(response, 'www-authenticate')).toMatch(challengeOf(code));
  else expectAbsent(response, 'www-authenticate');
  if (status === 405) expect(only(response, 'allow')).toMatch(/^[A-Z]+(, [A-Z]+)*$/);
  else expectAbsent(response, 'allow');
  const isRetried = code === 'api_key_suspended' || code === 'request_in_progress';
  if (isRetried || status === 429 || status === 503)
    expect(integer(response, 'retry-after')).toBeGreaterThanOrEqual(1);
  else expectAbsent(response, 'retry-after');
}

/** RFC 6750 section 3: no error attribute when no key was sent. */
const challengeOf = (code: ErrorCode): RegExp =>
  code === 'missing_api_key'
    ? /^Bearer realm="[^"]+"$/
    : /^Bearer realm="[^"]+", error="invalid_token", error_description="[^"]+"$/;

function expectErrorBody(body: Readonly<Record<string, unknown>>, code: ErrorCode, isProblem = false): void {
  const { status } = ERROR_CODES[code];
  const { message, detail = message } = body;
  if (isProblem) expect(body).toMatchObject({ code, status, type: `/docs#error-${code}` });
  else expect(body).toEqual({ code, message: expect.any(String), status });
  // One line for people, without internals: no SQL, no stack, no name of a library or of its errors.
  expect(detail).toMatch(/^[^\r\n]{8,400}\.$/);
  expect(detail).not.toMatch(
    /\b(?:select|insert into|update|delete from) |\bat \w+[.:]|\.[cm]?[jt]s\b|_ERR_|\b(?:HPE|FST|ECONN)|prisma|postgres|fastify|undefined|\[object/,
  );
}

function integer(response: WireResponse, name: string): number {
  const text = only(response, name);
  expect({ [name]: text }).toEqual({ [name]: expect.stringMatching(/^(0|[1-9]\d*)$/) });
  return Number(text);
}
