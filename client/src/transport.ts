import { infoOf, type ResponseInfo, type Result } from './call.js';
import { errorOfResponse, InvalidInputError, PetStoreError } from './error.js';
import { retryWaitOf, Gate } from './gate.js';
import { type Int64, parseJson } from './int64.js';
import { NOT_MODIFIED } from './types.js';
import {
  delayMs,
  MAX_RETRY_WAIT_MS,
  type RetryEvent,
  type RetryOptions,
  sleep,
  TIMER_MAX_MS,
} from './retry.js';

export interface TransportOptions extends RetryOptions {
  /** The base URL of the service, such as `https://petstore.example/v1`. */
  readonly baseUrl: string;
  /** The API key, `psk_…`. Do not ship it in the code of a web page: anyone who can read it can use it. */
  readonly apiKey: string;
  /** A replacement for the global `fetch`. */
  readonly fetch?: typeof globalThis.fetch | undefined;
  /**
   * Is called with every response, also of errors and of attempts that are retried, such as to show the rate limit. If it throws, the
   * call fails with what it throws.
   */
  readonly onResponse?: ((response: ResponseInfo) => void) | undefined;
  /** Is called before each retry, such as to log it. If it throws, the call fails with what it throws. */
  readonly onRetry?: ((retry: RetryEvent) => void) | undefined;
  /**
   * Whether calls wait, so that no more are in flight than the key has requests left; true by default.
   */
  readonly pace?: boolean | undefined;
  /**
   * Is called when a call waits for the reset of the limit, before it is sent, such as to say so. If it throws, the call fails with what it
   * throws.
   */
  readonly onWait?: ((wait: { readonly waitMs: number }) => void) | undefined;
  /** A replacement for waiting, for tests. */
  readonly sleep?: ((ms: number, signal?: AbortSignal) => Promise<void>) | undefined;
}

export interface CallOptions extends RetryOptions {
  /** Aborts the call, also while it waits to retry. The call rejects with the reason of the signal. */
  readonly signal?: AbortSignal | undefined;
  /** Additional request headers. Headers that the client sets take precedence; conditions have their own options. */
  readonly headers?: Readonly<Record<string, string>> | undefined;
}

/** The client's and the call's options. */
type SendOptions = TransportOptions & Pick<CallOptions, 'headers'>;

/** @internal */
export interface Request {
  readonly method: 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE';
  readonly path: string;
  readonly headers?: Readonly<Record<string, string | undefined>>;
  readonly body?: string;
  /** Whether a successful body can be from the service; undefined means an empty body. */
  readonly accepts: (value: unknown) => boolean;
  /** What the call resolves to; the body unless given. */
  readonly toValue?: (body: unknown, headers: Headers) => unknown;
}

/** Accepts an object with this member, which all objects of its kind have. @internal */
export const objectWith =
  (member: string) =>
  (value: unknown): boolean =>
    typeof value === 'object' && value !== null && member in value;

/** Accepts an array of objects with this member. @internal */
export const listWith =
  (member: string) =>
  (value: unknown): boolean =>
    Array.isArray(value) && value.every(objectWith(member));

const TIMEOUT_MS = 30_000;

/** Sends requests, and retries those that failed temporarily. @internal */
export class Transport {
  readonly #options: TransportOptions;
  readonly #int64: Int64;
  readonly #gate: Gate | undefined;

  /** @throws TypeError without a base URL and an API key that can be sent */
  constructor(options: TransportOptions, int64: Int64) {
    if (!/^(?:https?:\/)?\//.test(options.baseUrl))
      throw new TypeError('PetStore needs a baseUrl, such as "https://petstore.example/v1".');
    if (typeof options.apiKey === 'string' && /^\s+\S|\S\s+$/.test(options.apiKey))
      throw new TypeError('The apiKey of PetStore has surrounding white space: remove it.');
    if (typeof options.apiKey !== 'string' || !/^[!-~]+$/.test(options.apiKey))
      throw new TypeError('PetStore needs an apiKey (psk_…). Get one from the operator of the service.');
    this.#options = options;
    this.#int64 = int64;
    this.#gate = options.pace === false ? undefined : new Gate();
  }

  /** Rejects with a `PetStoreError`, or with the reason of the signal. */
  async send<Value>(request: Request, { signal, ...own }: CallOptions): Promise<Result<Value>> {
    const options = { ...this.#options, ...definedOf(own) };
    const condition = Object.keys(options.headers ?? {}).find((name) => /^if-(?:none-)?match$/i.test(name));
    if (condition !== undefined) throw new InvalidInputError(condition, 'has its own option.');
    // A POST has an Idempotency-Key. A repeated PATCH, DELETE or PUT with a condition may fail because the first one succeeded.
    const { method, headers = {} } = request;
    const isConditional = (headers['if-match'] ?? headers['if-none-match']) !== undefined;
    const isRepeatable = method === 'GET' || method === 'POST' || (method === 'PUT' && !isConditional);
    for (let attempts = 1; ; attempts += 1) {
      try {
        return await this.#sendOnce<Value>(request, options, signal);
      } catch (error) {
        if (!(error instanceof PetStoreError)) throw error;
        const waitMs = delayMs(error, attempts, isRepeatable, options);
        if (waitMs === undefined) throw error;
        options.onRetry?.({ error, attempts, waitMs });
        const waitsAtGate =
          this.#gate !== undefined && error.response !== undefined && retryWaitOf(error.response) > 0;
        if (!waitsAtGate) await (options.sleep ?? sleep)(waitMs, signal);
        signal?.throwIfAborted();
      }
    }
  }

  async #sendOnce<Value>(
    request: Request,
    options: SendOptions,
    signal: AbortSignal | undefined,
  ): Promise<Result<Value>> {
    signal?.throwIfAborted();
    let isSaid = false;
    const wait = async (waitMs: number): Promise<void> => {
      if (!isSaid) options.onWait?.({ waitMs });
      isSaid = true;
      await (options.sleep ?? sleep)(waitMs, signal);
    };
    const { maxRetryWaitMs: maxWaitMs = MAX_RETRY_WAIT_MS, timeoutMs = TIMEOUT_MS } = options;
    const place = await this.#gate?.enter({ maxWaitMs, timeoutMs, wait, signal });
    let seen: ResponseInfo | undefined;
    try {
      const { response, text } = await exchange(request, options, signal, (info) => (seen = info));
      return this.#valueOf<Value>(request, options, response, text);
    } finally {
      place?.leave(seen);
    }
  }

  #valueOf<Value>(
    request: Request,
    options: TransportOptions,
    response: ResponseInfo,
    text: string,
  ): Result<Value> {
    options.onResponse?.(response);
    if (response.status === 304 && request.headers?.['if-none-match'] !== undefined)
      return { value: NOT_MODIFIED as Value, response };
    if (response.status < 200 || response.status > 299) throw errorOfResponse(response, text);
    const value = this.#parse(text, response);
    if (request.accepts(value)) {
      const { toValue = (body) => body } = request;
      return { value: toValue(value, response.headers) as Value, response };
    }
    const message = 'The response body does not match this operation.';
    throw new PetStoreError('unexpected_response', message, response);
  }

  #parse(text: string, response: ResponseInfo): unknown {
    try {
      return text === '' ? undefined : parseJson(text, this.#int64);
    } catch (cause) {
      if (cause instanceof RangeError) throw cause;
      throw new PetStoreError('unexpected_response', 'The response is not valid JSON.', response, { cause });
    }
  }
}

async function exchange(
  { method, path, headers = {}, body }: Request,
  { baseUrl, apiKey, timeoutMs = TIMEOUT_MS, headers: further = {}, ...options }: SendOptions,
  signal: AbortSignal | undefined,
  onHeaders: (response: ResponseInfo) => void,
): Promise<{ readonly response: ResponseInfo; readonly text: string }> {
  signal?.throwIfAborted();
  const sent = new Headers();
  addTo(sent, further);
  addTo(sent, {
    authorization: `Bearer ${apiKey}`,
    // Problem details name the fields that are wrong.
    accept: 'application/problem+json, application/json;q=0.9',
    'content-type': body && 'application/json',
    ...headers,
  });
  // A longer one would fire at once: use none.
  const timeout = timeoutMs > TIMER_MAX_MS ? new AbortController().signal : AbortSignal.timeout(timeoutMs);
  const ended = signal === undefined ? timeout : AbortSignal.any([signal, timeout]);
  // Browsers reject `fetch` if it is called as a method of another object.
  const fetch = options.fetch ?? globalThis.fetch;
  const url = `${baseUrl.replace(/\/+$/, '')}${path}`;
  try {
    const response = await fetch(url, {
      method,
      headers: sent,
      ...(body !== undefined && { body }),
      signal: ended,
    });
    const info = infoOf(response);
    onHeaders(info);
    return { response: info, text: await response.text() };
  } catch (cause) {
    signal?.throwIfAborted();
    throw timeout.aborted
      ? new PetStoreError('timed_out', `There was no complete response within ${timeoutMs} ms.`, undefined, {
          cause,
        })
      : new PetStoreError('connection_failed', describeFailure(url, cause), undefined, { cause });
  }
}

/** Replaces an existing header, ignoring the case of its name. */
function addTo(headers: Headers, members: Readonly<Record<string, string | undefined>>): void {
  for (const [name, value] of Object.entries(definedOf(members))) {
    try {
      headers.set(name, value);
    } catch {
      throw new InvalidInputError(name, 'cannot be sent as a header.');
    }
  }
}

/** Node.js gives the reason in the error's cause; browsers hide it from pages. */
function describeFailure(url: string, error: unknown): string {
  const { cause } = error as { readonly cause?: { readonly code?: string; readonly message?: string } };
  const why = cause?.code ?? cause?.message ?? `${String(error)} (it cannot be reached, or CORS)`;
  return `There was no complete response from ${url}: ${why}`;
}

const definedOf = <Members extends object>(
  members: Members,
): { [Name in keyof Members]: NonNullable<Members[Name]> } =>
  Object.fromEntries(Object.entries(members).filter(([, value]) => value !== undefined)) as never;
