import { integerOf, type RateLimit, type ResponseInfo } from './call.js';
import type { components } from './generated/schema.js';

/** The error codes of the service. A later release may have more. */
export type ServiceErrorCode = components['schemas']['Error']['code'];

/**
 * All error codes: those of the service, `timed_out` if no response came in time, `connection_failed` if there was no complete
 * response, and `unexpected_response` if the response is not from the service but, for example, from a proxy.
 */
export type ErrorCode =
  ServiceErrorCode | 'timed_out' | 'connection_failed' | 'unexpected_response' | (string & {});

/** What is wrong with one member or one parameter of a request. */
export interface FieldError {
  /** Its name, such as `name` or `limit`. */
  readonly field: string;
  /** A sentence for people. */
  readonly message: string;
}

/** The error of every failed call, except for the reason of an `AbortSignal` and arguments that cannot be sent. */
export class PetStoreError extends Error {
  override readonly name = 'PetStoreError';
  readonly code: ErrorCode;
  /** The HTTP status; 0 without a response. */
  readonly status: number;
  /** The response; undefined if there was none. */
  readonly response: ResponseInfo | undefined;
  /** The seconds to wait before a retry, if the response has `Retry-After`. */
  readonly retryAfterSeconds: number | undefined;
  /** What is wrong with each field of the request, for a form that marks its fields; empty if no field is at fault. */
  readonly fields: readonly FieldError[];

  constructor(code: ErrorCode, message: string, response?: ResponseInfo, { cause, fields }: Details = {}) {
    super(message, cause === undefined ? undefined : { cause });
    this.code = code;
    this.status = response?.status ?? 0;
    this.response = response;
    this.retryAfterSeconds = response && retryAfterOf(response.headers);
    this.fields = fields ?? [];
  }

  /** The request in the logs of the service. */
  get requestId(): string | undefined {
    return this.response?.requestId;
  }

  get rateLimit(): RateLimit | undefined {
    return this.response?.rateLimit;
  }
}

interface Details {
  readonly cause?: unknown;
  readonly fields?: readonly FieldError[];
}

/** `Retry-After` in seconds. Proxies also send a date (RFC 9110, section 10.2.3), which is compared with their own clock. */
export function retryAfterOf(headers: Headers): number | undefined {
  const seconds = integerOf(headers, 'retry-after');
  if (seconds !== undefined) return seconds;
  const untilMs = Date.parse(headers.get('retry-after') ?? '');
  const nowMs = Date.parse(headers.get('date') ?? '') || Date.now();
  return Number.isNaN(untilMs) ? undefined : Math.max(0, Math.ceil((untilMs - nowMs) / 1000));
}

type Problem = components['schemas']['Problem'];

/** The error for a response that is not a success: problem details, or an Error from a service or proxy that does not know them. */
export function errorOfResponse(response: ResponseInfo, body: string): PetStoreError {
  try {
    const { code, status, errors, ...text } = JSON.parse(body) as Problem & { readonly message?: string };
    const message = text.detail ?? text.message;
    if (typeof code === 'string' && typeof message === 'string' && status === response.status)
      return new PetStoreError(code, message, response, { fields: (errors ?? []).map(fieldOf) });
  } catch {
    // As below.
  }
  const message = `The response (HTTP ${response.status}) is not from the Pet Store Service.`;
  return new PetStoreError('unexpected_response', message, response);
}

const fieldOf = ({ pointer, parameter, detail }: NonNullable<Problem['errors']>[number]): FieldError => ({
  field: parameter ?? pointer?.replace('#/', '') ?? '',
  message: detail,
});
