import type { IncomingMessage, RequestListener, ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import type { Duplex } from 'node:stream';
import { ConnectionRequests } from './connection-requests.js';

/**
 * The requests in flight on each connection of a server. HTTP/1.1 lets a client send requests without waiting for responses
 * (RFC 9112 section 9.3.2), and Node dispatches every request of one read at once. Between the two stands this class:
 * `dispatch` passes requests on in the order and number that `ConnectionRequests` promises.
 */
export class InFlightRequests {
  readonly #connections = new WeakMap<Duplex, ConnectionRequests>();
  #isStopping = false;

  /** @param onExcess is called with each connection that sent more than it may have in flight */
  constructor(private readonly onExcess: (socket: Socket) => void = () => undefined) {}

  /** The server's request listener: passes requests on to `handle`. */
  dispatch(handle: RequestListener): RequestListener {
    return (request, response) =>
      this.#of(request.socket).add({ request, response }, handle, this.#isStopping);
  }

  /** From here on a connection closes after the last request that it has in flight, or after its next one. */
  stop(): void {
    this.#isStopping = true;
  }

  /** Whether the response to this request must say `Connection: close`, because nothing behind it will be dispatched. */
  isLast(request: IncomingMessage): boolean {
    return this.#of(request.socket).isLast(request, this.#isStopping);
  }

  /**
   * Calls `send` as soon as a response of so many bytes may be passed to Node.js: at once when all unsent responses of the
   * connection stay within `UNSENT_BYTES_MAX`, or when it is the first of them. Also called when the connection breaks.
   *
   * @returns whether it was called at once
   */
  whenRoom(request: IncomingMessage, payload: unknown, send: () => void): boolean {
    return this.#of(request.socket).whenRoom(request, payload, send);
  }

  /** The request whose body is still arriving on a connection, if there is one. */
  receiving(socket: Duplex): { request: IncomingMessage; response: ServerResponse } | undefined {
    const latest = this.#connections.get(socket)?.latest;
    return latest?.request.complete === false ? latest : undefined;
  }

  /** Whether what arrives on a connection from here on is ignored. */
  isClosing(socket: Duplex): boolean {
    return this.#connections.get(socket)?.isClosing === true;
  }

  /** Calls `act` when all requests that arrived on the connection so far have their responses. */
  afterLast(socket: Duplex, act: () => void): void {
    const connection = this.#connections.get(socket);
    if (connection === undefined) act();
    else connection.afterLast(act);
  }

  #of(socket: Socket): ConnectionRequests {
    let connection = this.#connections.get(socket);
    if (connection === undefined) {
      connection = new ConnectionRequests(socket, this.onExcess);
      this.#connections.set(socket, connection);
    }
    return connection;
  }
}
