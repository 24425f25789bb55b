import { expect } from '@jest/globals';
import { ERROR_CODES, type ErrorCode } from '../../src/common/errors/error-codes.js';
import type { WireAnswer } from './connection.js';

/** Whose limit the rate-limit headers of an answer describe. */
export type Described = 'key' | 'address';

export interface Expected {
  readonly status: number;
  /** Absent for a success. */
  readonly code?: ErrorCode | undefined;
  readonly describes: Described;
  /** The answer to a HEAD has no body. */
  readonly isHead?: boolean | undefined;
  /** The service's clock when the request was sent, in ms. */
  readonly sentAtMs: number;
}

const DAY_SECONDS = 86_400;

/** How far a clock that was read around an answer may lie from the one it was made with. */
const TOLERANCE_SECONDS = 5;

/** Everything that section 3, 4 and 7 of the contract promise of every answer, whatever was asked. */
export function expectSoundAnswer(answer: WireAnswer, expected: Expected): void {
  const code = codeOf(answer, expected);
  expect({ status: answer.status, code }).toEqual({ status: expected.status, code: expected.code });
  expectFraming(answer, expected);
  expectRateLimit(answer, expected);
  // Two kinds of requests without a key come without an `Origin`.
  if (expected.code !== 'missing_api_key' || answer.headers.has('access-control-allow-origin'))
    expectCors(answer);
  expect(only(answer, 'x-request-id')).toMatch(/^[\da-f]{12}-[\da-z]+$/);
  if (expected.code !== undefined) expectError(answer, expected.code, expected);
}

/** The value of a header that must be there exactly once. */
export function only(answer: WireAnswer, name: string): string {
  const values = answer.headers.get(name) ?? [];
  expect({ [name]: values }).toEqual({ [name]: [expect.any(String)] });
  return values[0] ?? '';
}

const absent = (answer: WireAnswer, name: string): void =>
  expect({ [name]: answer.headers.get(name) }).toEqual({ [name]: undefined });

function codeOf({ status, body }: WireAnswer, { code, isHead }: Expected): unknown {
  if (status < 400) return undefined;
  return isHead === true ? code : (JSON.parse(body) as { code: unknown }).code;
}

function expectFraming(answer: WireAnswer, { isHead }: Expected): void {
  const driftMs = Math.abs(Date.parse(only(answer, 'date')) - Date.now());
  expect(driftMs).toBeLessThan(TOLERANCE_SECONDS * 1000);
  expect(['close', 'keep-alive']).toContain(only(answer, 'connection'));
  absent(answer, 'transfer-encoding');
  if (answer.status === 204 || answer.status === 304) return absent(answer, 'content-length');
  const length = Number(only(answer, 'content-length'));
  if (isHead !== true) expect(length).toBe(Buffer.byteLength(answer.body));
}

function expectCors(answer: WireAnswer): void {
  expect(only(answer, 'access-control-allow-origin')).toBe('*');
  const exposed = only(answer, 'access-control-expose-headers').toLowerCase().split(', ');
  const own = [
    'x-ratelimit-limit',
    'x-ratelimit-remaining',
    'x-ratelimit-reset',
    'ratelimit',
    'ratelimit-policy',
  ];
  expect(exposed).toEqual(
    expect.arrayContaining([...own, 'link', 'location', 'etag', 'retry-after', 'x-request-id']),
  );
}

/** The three X-RateLimit headers tell the tightest of the windows that the two structured ones list. */
function expectRateLimit(answer: WireAnswer, { describes, sentAtMs, status }: Expected): void {
  const policies = only(answer, 'ratelimit-policy')
    .split(', ')
    .map((item) => numbersOf(/^"(minute|day|address)";q=(\d+);w=(\d+)$/, item));
  const states = only(answer, 'ratelimit')
    .split(', ')
    .map((item) => numbersOf(/^"(minute|day|address)";r=(\d+);t=(\d+)$/, item));
  const names = describes === 'key' ? ['minute', 'day'] : ['address'];
  expect(policies.map(([name]) => name)).toEqual(names);
  expect(states.map(([name]) => name)).toEqual(names);
  expect(policies.map(([, , seconds]) => seconds)).toEqual(describes === 'key' ? [60, DAY_SECONDS] : [60]);

  const windows = policies.map(([, limit, seconds], index) => {
    const [, remaining = NaN, resetIn = NaN] = states[index] ?? [];
    expect(remaining).toBeLessThanOrEqual(limit);
    expect(resetIn).toBeGreaterThanOrEqual(1);
    expect(resetIn).toBeLessThanOrEqual(seconds);
    return { limit, remaining, seconds, resetIn };
  });
  const [tightest] = windows.sort((a, b) => a.remaining - b.remaining || b.seconds - a.seconds);
  expect(integer(answer, 'x-ratelimit-limit')).toBe(tightest?.limit);
  expect(integer(answer, 'x-ratelimit-remaining')).toBe(tightest?.remaining);

  const sentAtSeconds = Math.floor(sentAtMs / 1000);
  const resetIn = integer(answer, 'x-ratelimit-reset') - sentAtSeconds;
  expect(resetIn).toBeGreaterThanOrEqual(1);
  expect(resetIn).toBeLessThanOrEqual(DAY_SECONDS + TOLERANCE_SECONDS);
  // A refusal's reset is the end of whatever refuses, which may be a ban.
  if (status === 429) return expectRetryAfter(answer, resetIn);
  expect(Math.abs(resetIn - (tightest?.resetIn ?? NaN))).toBeLessThanOrEqual(TOLERANCE_SECONDS);
}

/** Who waits as long as `Retry-After` says comes at the reset, and not before. */
function expectRetryAfter(answer: WireAnswer, resetIn: number): void {
  expect(Math.abs(integer(answer, 'retry-after') - resetIn)).toBeLessThanOrEqual(TOLERANCE_SECONDS);
}

function expectError(answer: WireAnswer, code: ErrorCode, { status, isHead }: Expected): void {
  expect(status).toBe(ERROR_CODES[code].status);
  expect(only(answer, 'content-type')).toBe('application/json; charset=utf-8');
  if (isHead === true) expect(answer.body).toBe('');
  else expectErrorBody(answer.body, code);

  if (status === 401) expect(only(answer, 'www-authenticate')).toMatch(challengeOf(code));
  else absent(answer, 'www-authenticate');
  if (status === 405) expect(only(answer, 'allow')).toMatch(/^[A-Z]+(, [A-Z]+)*$/);
  else absent(answer, 'allow');
  if (status === 429 || status === 503) expect(integer(answer, 'retry-after')).toBeGreaterThanOrEqual(1);
  else absent(answer, 'retry-after');
}

/** RFC 6750 section 3: no error attribute when no key was sent. */
const challengeOf = (code: ErrorCode): RegExp =>
  code === 'missing_api_key'
    ? /^Bearer realm="[^"]+"$/
    : /^Bearer realm="[^"]+", error="invalid_token", error_description="[^"]+"$/;

function expectErrorBody(text: string, code: ErrorCode): void {
  const body = JSON.parse(text) as Record<string, unknown>;
  expect(body).toEqual({ code, message: expect.any(String), status: ERROR_CODES[code].status });
  // One line for people, and nothing of the inside: no SQL, no stack, no name of a library or of its errors.
  expect(body['message']).toMatch(/^[^\r\n]{8,400}\.$/);
  expect(body['message']).not.toMatch(
    /\b(?:select|insert into|update|delete from) |\bat \w+[.:]|\.[cm]?[jt]s\b|_ERR_|\b(?:HPE|FST|ECONN)|prisma|postgres|fastify|undefined|\[object/,
  );
}

function integer(answer: WireAnswer, name: string): number {
  const text = only(answer, name);
  expect({ [name]: text }).toEqual({ [name]: expect.stringMatching(/^(0|[1-9]\d*)$/) });
  return Number(text);
}

function numbersOf(form: RegExp, item: string): readonly [name: string, first: number, second: number] {
  expect(item).toMatch(form);
  const [, name = '', first, second] = form.exec(item) ?? [];
  return [name, Number(first), Number(second)];
}
