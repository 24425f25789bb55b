import {
  type IncomingMessage,
  type OutgoingHttpHeader,
  type OutgoingHttpHeaders,
  ServerResponse,
} from 'node:http';

type Headers = OutgoingHttpHeaders | OutgoingHttpHeader[];

/**
 * An answer that takes lines of its head ready made. Node looks at each header that is set on an answer for itself, at its
 * name, its value and whether it frames the body: for those that all answers have it need not.
 */
export class StampedResponse<
  Request extends IncomingMessage = IncomingMessage,
> extends ServerResponse<Request> {
  /** Lines of the head, each with its end. They must be sound: nobody looks at them again. */
  stamp = '';

  /** Node's own: the whole head, with the empty line that ends it, as soon as it is written. */
  declare private _header: string;

  override writeHead(status: number, reasonOrHeaders?: string | Headers, headers?: Headers): this {
    super.writeHead(status, reasonOrHeaders as string, headers);
    this._header = `${this._header.slice(0, -END.length)}${this.stamp}${END}`;
    return this;
  }
}

const END = '\r\n';
