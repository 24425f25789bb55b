import { IncomingMessage, ServerResponse } from 'node:http';
import { Socket } from 'node:net';
import type { FastifyReply } from 'fastify';

/**
 * A response whose last headers are appended to its head as they are. Node.js looks at each header that is set for itself, at its
 * name, its value and whether it frames the body, after Fastify did: for the ten that every response has, that is a seventh of
 * what a request costs the process. The exception to public APIs has an entry in docs/decisions.md.
 */
class AppendingResponse<Request extends IncomingMessage = IncomingMessage> extends ServerResponse<Request> {
  appended = '';

  /** Node's own: the whole head, with the empty line that ends it, as soon as it is written. */
  declare private _header: string;

  override writeHead(...args: unknown[]): this {
    super.writeHead(...(args as Parameters<ServerResponse['writeHead']>));
    this._header = `${this._header.slice(0, -END.length)}${this.appended}${END}`;
    return this;
  }
}

const END = '\r\n';

/** Whether Node.js keeps the head of a response where `AppendingResponse` expects it. */
function isHeadKnown(): boolean {
  const response = new ServerResponse(new IncomingMessage(new Socket()));
  response.sendDate = false;
  response.writeHead(200, { name: 'value' });
  const { _header: head } = response as unknown as { _header?: unknown };
  return typeof head === 'string' && /^HTTP\/1\.1 200 OK\r\nname: value\r\n.*\r\n\r\n$/s.test(head);
}

/** The class of the server's responses. */
export const ResponseOfServer: typeof ServerResponse = isHeadKnown() ? AppendingResponse : ServerResponse;

/**
 * Gives a response its last headers, instead of what it was given by this function before.
 *
 * @param lines sound headers that the response does not have yet, each with its line end: nobody looks at them again
 */
export function appendLines(reply: FastifyReply, lines: string): void {
  const { raw } = reply;
  if (raw instanceof AppendingResponse) {
    raw.appended = lines;
    return;
  }
  for (const line of lines.split(END).slice(0, -1)) {
    const colon = line.indexOf(': ');
    reply.header(line.slice(0, colon), line.slice(colon + 2));
  }
}
