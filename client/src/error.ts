import { integerOf, type RateLimit, type ResponseInfo } from './call.js';
import type { components } from './generated/schema.js';

/** The error codes of the service. A later release may have more. */
export type ServiceErrorCode = components['schemas']['Error']['code'];

/**
 * All error codes: those of the service, `timed_out` if no response came in time, `connection_failed` if there was no complete
 * response, `unexpected_response` if the response is not from the service but, for example, from a proxy, and `invalid_input` for
 * arguments that cannot be sent.
 */
export type ErrorCode =
  | ServiceErrorCode
  | 'timed_out'
  | 'connection_failed'
  | 'unexpected_response'
  | 'invalid_input'
  | (string & {});

/** What is wrong with one member or one parameter of a request. */
export interface FieldError {
  /** Its name, such as `name` or `limit`. */
  readonly field: string;
  /** A sentence for people. */
  readonly message: string;
}

/** The members of every call error, also as plain data: in JSON, and after `structuredClone` in another thread. */
export interface CallError {
  readonly name: 'PetStoreError' | 'InvalidInputError';
  readonly code: ErrorCode;
  readonly message: string;
  /** The HTTP status; 0 without a response. */
  readonly status: number;
  /** The request in the logs of the service. */
  readonly requestId: string | undefined;
  readonly rateLimit: RateLimit | undefined;
  /** The seconds to wait before a retry, if the response says so. */
  readonly retryAfterSeconds: number | undefined;
  /** What is wrong with each field of the request, for a form that marks its fields; empty if no field is at fault. */
  readonly fields: readonly FieldError[];
}

const NAMES: ReadonlySet<unknown> = new Set(['PetStoreError', 'InvalidInputError']);

/** Whether it is a call error: from this or another copy of the package, or as plain data. */
export const isPetStoreError = (error: unknown): error is CallError =>
  typeof error === 'object' && error !== null && 'code' in error && NAMES.has((error as CallError).name);

/** The members of an error as plain data. */
const plain = (error: CallError): CallError => {
  const { name, code, message, status, requestId, rateLimit, retryAfterSeconds, fields } = error;
  return { name, code, message, status, requestId, rateLimit, retryAfterSeconds, fields };
};

/** An argument cannot be sent. Nothing was sent. */
export class InvalidInputError extends TypeError implements CallError {
  override readonly name = 'InvalidInputError';
  readonly code = 'invalid_input';
  readonly status = 0;
  readonly requestId = undefined;
  readonly rateLimit = undefined;
  readonly retryAfterSeconds = undefined;
  readonly fields: readonly FieldError[];

  constructor(field: string, problem: string) {
    super(`${field} ${problem}`);
    this.fields = [{ field, message: this.message }];
  }

  toJSON(): CallError {
    return plain(this);
  }
}

/** The error of every failed call, except for the reason of an `AbortSignal` and arguments that cannot be sent. */
export class PetStoreError extends Error implements CallError {
  override readonly name = 'PetStoreError';
  readonly code: ErrorCode;
  readonly status: number;
  /** The response; undefined if there was none. */
  readonly response: ResponseInfo | undefined;
  readonly retryAfterSeconds: number | undefined;
  readonly fields: readonly FieldError[];

  constructor(code: ErrorCode, message: string, response?: ResponseInfo, { cause, fields }: Details = {}) {
    super(message, cause === undefined ? undefined : { cause });
    this.code = code;
    this.status = response?.status ?? 0;
    this.response = response;
    this.retryAfterSeconds = response && retryAfterOf(response);
    this.fields = fields ?? [];
  }

  get requestId(): string | undefined {
    return this.response?.requestId;
  }

  get rateLimit(): RateLimit | undefined {
    return this.response?.rateLimit;
  }

  toJSON(): CallError {
    return plain(this);
  }
}

interface Details {
  readonly cause?: unknown;
  readonly fields?: readonly FieldError[];
}

/** The dates of RFC 9110, section 5.6.7. Asctime dates have no zone. */
const DATE = /\w+, \d\d[ -]\w{3}[ -]\d+ [\d:]{8} GMT|\w{3} \w{3} [ \d]\d [\d:]{8} \d{4}/g;

/**
 * `Retry-After` in seconds. Proxies also send a date (RFC 9110, section 10.2.3), which is relative to the `Date` header, and may add a field
 * to that of the service: the greatest wins. Without a valid one, a 429 waits for the reset of its limit.
 *
 * @internal
 */
export function retryAfterOf({
  status,
  headers,
}: Pick<ResponseInfo, 'status' | 'headers'>): number | undefined {
  const text = headers.get('retry-after') ?? '';
  const now = (Date.parse(headers.get('date') ?? '') || Date.now()) / 1000;
  const dates = (text.match(DATE) ?? []).map((date) =>
    Math.max(0, Math.ceil(Date.parse(date.endsWith('GMT') ? date : `${date} GMT`) / 1000 - now)),
  );
  const numbers = text
    .replaceAll(DATE, '')
    .split(',')
    .filter((part) => /^\s*\d+\s*$/.test(part));
  const seconds = [...dates, ...numbers.map(Number)].filter((one) => !Number.isNaN(one));
  if (seconds.length > 0) return Math.max(...seconds);
  if (status !== 429) return undefined;
  const resets = [...(headers.get('ratelimit') ?? '').matchAll(/;\s*r=0\s*;\s*t=(\d+)/g)].map(([, one]) =>
    Number(one),
  );
  if (resets.length > 0) return Math.max(...resets);
  const reset = integerOf(headers, 'x-ratelimit-reset');
  return reset === undefined ? undefined : Math.max(1, Math.ceil(reset - now));
}

type Problem = components['schemas']['Problem'];

/** The error for a response that is not a success: problem details, or an Error from a service or proxy that does not know them. @internal */
export function errorOfResponse(response: ResponseInfo, body: string): PetStoreError {
  try {
    const { code, status, errors, ...text } = JSON.parse(body) as Problem & { readonly message?: string };
    const message = text.detail ?? text.message;
    if (typeof code === 'string' && typeof message === 'string' && status === response.status)
      return new PetStoreError(code, message, response, { fields: (errors ?? []).map(fieldOf) });
  } catch {
    // As below.
  }
  const said = firstLineOf(body);
  const message = `The response (HTTP ${response.status}) is not from the Pet Store Service${said && `: ${said}`}.`;
  return new PetStoreError('unexpected_response', message, response);
}

/** The first line of text in what a proxy sends, which is often a page of HTML. */
const firstLineOf = (body: string): string =>
  /\S.*/
    .exec(body.slice(0, 10_000).replaceAll(/<(script|style)\b[^]*?<\/\1>|<[^>]*>/gi, '\n'))?.[0]
    .trim()
    .slice(0, 200) ?? '';

const fieldOf = ({ pointer, parameter, detail }: NonNullable<Problem['errors']>[number]): FieldError => ({
  field: parameter ?? pointer?.replace('#/', '') ?? '',
  message: detail,
});
