import { Agent, type IncomingMessage, request } from 'node:http';
import { once } from 'node:events';
import { buffer } from 'node:stream/consumers';

/** As many connections as there are requests in flight. */
const agent = new Agent({ keepAlive: true });

/** A response of these has no body, not even an empty one. */
const WITHOUT_BODY: ReadonlySet<number | undefined> = new Set([204, 304]);

export interface HttpRequest {
  readonly method?: string | undefined;
  readonly headers: Iterable<readonly [string, string]>;
  readonly body?: string | undefined;
}

/** Like `fetch`, by Node's own client, which has a third of its work: `fetch` took a sixth of all work of the tests. */
export async function httpFetch(
  url: string,
  { method = 'GET', headers, body }: HttpRequest,
): Promise<Response> {
  const sent = new Headers([...headers].map(([name, value]) => [name, value]));
  if (body !== undefined && !sent.has('content-type')) sent.set('content-type', 'text/plain;charset=UTF-8');
  if (!sent.has('accept')) sent.set('accept', '*/*');
  if (body !== undefined || ['POST', 'PUT', 'PATCH'].includes(method))
    sent.set('content-length', String(Buffer.byteLength(body ?? '')));
  const sending = request(url, { agent, method, headers: Object.fromEntries(sent) }).end(body);
  const [message] = (await once(sending, 'response')) as [IncomingMessage];
  const bytes = await buffer(message);
  const { statusCode: status = 0, rawHeaders } = message;
  const received = new Headers();
  for (let at = 0; at < rawHeaders.length; at += 2)
    received.append(rawHeaders[at] ?? '', rawHeaders[at + 1] ?? '');
  return new Response(WITHOUT_BODY.has(status) ? null : bytes, { status, headers: received });
}
