import { Agent, type IncomingHttpHeaders, type IncomingMessage, request } from 'node:http';
import { setTimeout as delay } from 'node:timers/promises';

/** An answer as far as limits go. A figure is NaN when its header is absent, there twice, or no plain integer. */
export interface Answer {
  readonly status: number;
  /** The code of an Error body. */
  readonly code: string | undefined;
  readonly limit: number;
  readonly remaining: number;
  readonly resetSeconds: number;
  readonly retryAfterSeconds: number;
  readonly headers: IncomingHttpHeaders;
}

export interface Asking {
  readonly key?: string;
  readonly headers?: Readonly<Record<string, string>>;
  readonly path?: string;
  readonly method?: string;
}

/** As many connections as there are requests in flight. Node's own client, for `fetch` takes three times its work. */
const agent = new Agent({ keepAlive: true });

/** Asks a service, by default for one animal, and reads the whole answer. */
export function ask(origin: string, asking: Asking = {}): Promise<Answer> {
  const { key, headers, path = '/v1/pets?limit=1', method = 'GET' } = asking;
  return new Promise((resolve, reject) => {
    request(`${origin}${path}`, {
      agent,
      method,
      headers: { ...(key !== undefined && { authorization: `Bearer ${key}` }), ...headers },
    })
      .on('response', (message) => {
        readAnswer(message).then(resolve, reject);
      })
      .on('error', reject)
      .end();
  });
}

/** A machine that is busy with other tests may miss a time-out of the service once, not each time. */
const TRIES_MAX = 4;

/** Asks again, after the time in `Retry-After`, when the answer is that nobody can decide right now (503). */
export async function askUntilDecided(origin: string, asking: Asking = {}): Promise<Answer> {
  for (let tries = 1; ; tries += 1) {
    const answer = await ask(origin, asking);
    if (answer.status !== 503 || tries === TRIES_MAX) return answer;
    await delay(answer.retryAfterSeconds * 1000);
  }
}

/** How many answers there are of each status and code, such as `{ '200': 60, '429 rate_limit_exceeded': 20 }`. */
export function tally(answers: readonly Answer[]): Readonly<Record<string, number>> {
  const counts: Record<string, number> = {};
  for (const { status, code } of answers) {
    const what = code === undefined ? String(status) : `${status} ${code}`;
    counts[what] = (counts[what] ?? 0) + 1;
  }
  return counts;
}

async function readAnswer(message: IncomingMessage): Promise<Answer> {
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
