import { Agent, type IncomingHttpHeaders, type IncomingMessage, request } from 'node:http';
import { setTimeout as delay } from 'node:timers/promises';

/** A response with its rate limit. A figure is NaN when its header is absent, repeated, or no plain integer. */
export interface ApiResponse {
  readonly status: number;
  /** The code of an Error body. */
  readonly code: string | undefined;
  readonly limit: number;
  readonly remaining: number;
  readonly resetSeconds: number;
  readonly retryAfterSeconds: number;
  readonly headers: IncomingHttpHeaders;
}

export interface SendOptions {
  readonly key?: string;
  readonly headers?: Readonly<Record<string, string>>;
  readonly path?: string;
  readonly method?: string;
}

/** As many connections as there are requests in flight. Node's own client, for `fetch` takes three times its work. */
const agent = new Agent({ keepAlive: true });

/** Sends a request, by default for one pet, and reads the whole response. */
export function send(origin: string, options: SendOptions = {}): Promise<ApiResponse> {
  const { key, headers, path = '/v1/pets?limit=1', method = 'GET' } = options;
  return new Promise((resolve, reject) => {
    request(`${origin}${path}`, {
      agent,
      method,
      headers: { ...(key !== undefined && { authorization: `Bearer ${key}` }), ...headers },
    })
      .on('response', (message) => {
        readResponse(message).then(resolve, reject);
      })
      .on('error', reject)
      .end();
  });
}

/** A machine that is busy with other tests may miss a time-out of the service once, not each time. */
const TRIES_MAX = 4;

/** Sends a request again, after the time in `Retry-After`, while the response is 503. */
export async function sendUntilDecided(origin: string, options: SendOptions = {}): Promise<ApiResponse> {
  for (let tries = 1; ; tries += 1) {
    const response = await send(origin, options);
    if (response.status !== 503 || tries === TRIES_MAX) return response;
    await delay(response.retryAfterSeconds * 1000);
  }
}

/** The number of responses of each status and code, such as `{ '200': 60, '429 rate_limit_exceeded': 20 }`. */
export function tally(responses: readonly ApiResponse[]): Readonly<Record<string, number>> {
  const counts: Record<string, number> = {};
  for (const { status, code } of responses) {
    const what = code === undefined ? String(status) : `${status} ${code}`;
    counts[what] = (counts[what] ?? 0) + 1;
  }
  return counts;
}

async function readResponse(message: IncomingMessage): Promise<ApiResponse> {
  const { statusCode: status = 0, headers, headersDistinct } = message;
  let body = '';
  for await (const chunk of message.setEncoding('utf8')) body += String(chunk);
  const integer = (name: string): number => {
    const [text = '', ...others] = headersDistinct[name] ?? [];
    return /^\d+$/.test(text) && others.length === 0 ? Number(text) : Number.NaN;
  };
  return {
    status,
    code: status >= 400 && body !== '' ? (JSON.parse(body) as { code: string }).code : undefined,
    limit: integer('x-ratelimit-limit'),
    remaining: integer('x-ratelimit-remaining'),
    resetSeconds: integer('x-ratelimit-reset'),
    retryAfterSeconds: integer('retry-after'),
    headers,
  };
}
