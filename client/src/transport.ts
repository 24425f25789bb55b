import { errorOfResponse, PetStoreError } from './error.js';
import { parseExact } from './exact-json.js';
import { delayMs, type Retry, type RetryOptions, withDefaults } from './retry.js';

export interface TransportOptions {
  /** The base URL of the service, such as `https://petstore.example/v1`. */
  readonly baseUrl: string;
  /** The API key, `psk_…`. Do not ship it in the code of a web page: anyone who can read it can use it. */
  readonly apiKey: string;
  /** A replacement for the global `fetch`. */
  readonly fetch?: typeof globalThis.fetch | undefined;
  readonly retry?: RetryOptions | undefined;
}

export interface Request {
  readonly method: 'GET' | 'POST' | 'PATCH' | 'DELETE';
  readonly path: string;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: string;
  readonly signal?: AbortSignal | undefined;
}

export interface Reply {
  readonly value: unknown;
  readonly headers: Headers;
}

/** Sends requests, and retries those that failed temporarily. */
export class Transport {
  readonly #baseUrl: string;
  readonly #apiKey: string;
  readonly #fetch: typeof globalThis.fetch;
  readonly #retry: Retry;

  constructor(options: TransportOptions) {
    this.#baseUrl = options.baseUrl.replace(/\/+$/, '');
    this.#apiKey = options.apiKey;
    // Browsers reject a `fetch` that is called as a method of another object.
    this.#fetch = options.fetch ?? ((input, init) => globalThis.fetch(input, init));
    this.#retry = withDefaults(options.retry);
  }

  async send(request: Request): Promise<Reply> {
    // A POST has an Idempotency-Key, so it is safe to repeat. A repeated PATCH or DELETE may fail because the first one succeeded.
    const isRepeatable = request.method === 'GET' || request.method === 'POST';
    for (let attempt = 1; ; attempt += 1) {
      try {
        return await this.#sendOnce(request);
      } catch (error) {
        if (!(error instanceof PetStoreError)) throw error;
        const waitMs = delayMs(error, attempt, isRepeatable, this.#retry);
        if (waitMs === undefined) throw error;
        await this.#retry.sleep(waitMs, request.signal);
        request.signal?.throwIfAborted();
      }
    }
  }

  async #sendOnce(request: Request): Promise<Reply> {
    const { ok, status, headers, text } = await this.#exchange(request);
    if (!ok) throw errorOfResponse(status, headers, text);
    if (status === 204) return { value: undefined, headers };
    try {
      return { value: parseExact(text), headers };
    } catch (cause) {
      throw new PetStoreError('unexpected_response', status, 'The response is not valid JSON.', { cause });
    }
  }

  async #exchange({ method, path, headers, body, signal }: Request): Promise<{
    readonly ok: boolean;
    readonly status: number;
    readonly headers: Headers;
    readonly text: string;
  }> {
    signal?.throwIfAborted();
    const fetch = this.#fetch;
    try {
      const response = await fetch(`${this.#baseUrl}${path}`, {
        method,
        headers: {
          authorization: `Bearer ${this.#apiKey}`,
          ...(body !== undefined && { 'content-type': 'application/json' }),
          ...headers,
        },
        ...(body !== undefined && { body }),
        ...(signal !== undefined && { signal }),
      });
      const { ok, status } = response;
      return { ok, status, headers: response.headers, text: await response.text() };
    } catch (cause) {
      signal?.throwIfAborted();
      throw new PetStoreError('connection_failed', 0, 'There was no complete response.', { cause });
    }
  }
}
