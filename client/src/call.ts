/** The window with the fewest requests remaining, after this request. */
export interface RateLimit {
  readonly limit: number;
  readonly remaining: number;
  /** When the window resets, in Unix seconds. */
  readonly resetUnixSeconds: number;
}

/** The metadata of a response. */
export interface ResponseInfo {
  /** The HTTP status. */
  readonly status: number;
  /** The request in the logs of the service: name it when you report a problem. */
  readonly requestId: string | undefined;
  readonly rateLimit: RateLimit | undefined;
  /** The version of the representation, for `ifMatch`. */
  readonly etag: string | undefined;
  /** Whether it is the response to an earlier request with the same `Idempotency-Key`, which was executed once. */
  readonly replayed: boolean;
  readonly headers: Headers;
}

/** The value of a call with its response. */
export interface Result<Value> {
  readonly value: Value;
  readonly response: ResponseInfo;
}

/** A call of the service: a promise of the value, and of its response for those who need it. */
export class Call<Value> extends Promise<Value> {
  readonly #result: Promise<Result<Value>>;

  constructor(result: Promise<Result<Value>>) {
    super((resolve, reject) => {
      result.then(({ value }) => resolve(value), reject);
    });
    this.#result = result;
  }

  /** `then` and `catch` return an ordinary promise. */
  static override get [Symbol.species](): PromiseConstructor {
    return Promise;
  }

  /** The value with its status, rate limit, request id and headers. */
  withResponse(): Promise<Result<Value>> {
    // The returned promise reports a failure, so this one must not report it as unhandled.
    this.catch(() => undefined);
    return this.#result.then((result) => result);
  }
}

/** @internal */
export const infoOf = ({ status, headers }: Response): ResponseInfo => ({
  status,
  requestId: headers.get('x-request-id') ?? undefined,
  rateLimit: rateLimitOf(headers),
  etag: headers.get('etag') ?? undefined,
  replayed: headers.get('idempotency-replayed') === 'true',
  headers,
});

function rateLimitOf(headers: Headers): RateLimit | undefined {
  const limit = integerOf(headers, 'x-ratelimit-limit');
  const remaining = integerOf(headers, 'x-ratelimit-remaining');
  const resetUnixSeconds = integerOf(headers, 'x-ratelimit-reset');
  return limit === undefined || remaining === undefined || resetUnixSeconds === undefined
    ? undefined
    : { limit, remaining, resetUnixSeconds };
}

/** A header that is a plain integer. @internal */
export function integerOf(headers: Headers, name: string): number | undefined {
  const text = headers.get(name);
  return text !== null && /^\d+$/.test(text) ? Number(text) : undefined;
}
