import { Agent, type IncomingHttpHeaders, request } from 'node:http';

/** A response as it came, or what broke the connection before it was whole. */
export interface Reply {
  /** 0: there was none. */
  readonly status: number;
  readonly headers: IncomingHttpHeaders;
  readonly body: string;
}

export interface Sending {
  readonly method?: string;
  readonly path: string;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: string | undefined;
  readonly agent?: Agent;
}

/** Far past every limit of the service: a request that takes longer hangs, and is reported as status 0 with this body. */
const HANG_MS = 10_000;
export const HANGS = 'no response in 10 s';

export const createAgent = (): Agent => new Agent({ keepAlive: true });

/** Sends a request and never rejects: what happened instead of a response is what a fault is about. */
export function send(
  origin: string,
  { method = 'GET', path, headers = {}, body, agent }: Sending,
): Promise<Reply> {
  return new Promise((resolve) => {
    const none = (why: string): void => {
      clearTimeout(timer);
      resolve({ status: 0, headers: {}, body: why });
    };
    const outgoing = request(`${origin}${path}`, {
      method,
      headers: {
        ...(body !== undefined && {
          'content-type': 'application/json',
          'content-length': Buffer.byteLength(body),
        }),
        ...headers,
      },
      ...(agent && { agent }),
    });
    const timer = setTimeout(() => {
      none(HANGS);
      outgoing.destroy();
    }, HANG_MS);
    outgoing.on('error', (error) => none(error.message));
    outgoing.on('response', (message) => {
      let text = '';
      message.setEncoding('utf8');
      message.on('data', (chunk: string) => (text += chunk));
      message.on('error', (error) => none(error.message));
      message.on('end', () => {
        clearTimeout(timer);
        resolve({ status: message.statusCode ?? 0, headers: message.headers, body: text });
      });
    });
    outgoing.end(body);
  });
}
