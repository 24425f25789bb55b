import type { RequestListener, Server as HttpServer } from 'node:http';
import { Server, type Socket } from 'node:net';
import type { Duplex } from 'node:stream';
import { setTimeout as delay } from 'node:timers/promises';
import { ClientConnection } from './client-connection.js';

export interface ConnectionOptions {
  /** How many connections may be open. One too many is closed without a response. */
  readonly max: number;
  /** How long a client has to send something. Then its connection is closed without a response. */
  readonly firstByteTimeoutMs: number;
  readonly warn: (message: string) => void;
}

/** In a flood, one line a minute must do. */
const WARNING_INTERVAL_MS = 60_000;

/** How often a stop checks whether all responses have been sent. */
const SENDING_CHECK_MS = 10;

/** The connections of an HTTP server: accepts them, and ends them when the service stops. */
export class ClientConnections {
  /** Clients that have sent nothing yet. */
  readonly #unused = new Set<Socket>();
  readonly #open = new Set<ClientConnection>();
  readonly #server: HttpServer;
  /** Node's own, which parse what a connection sends. */
  readonly #listeners: readonly Function[];
  readonly #closed: Promise<unknown>;
  #isStopping = false;

  /** The request listener of the server: dispatches the requests of each connection one after another. */
  static dispatch(handle: RequestListener): RequestListener {
    return (request, response) => ClientConnection.of(request.socket).dispatch(request, response, handle);
  }

  /** @param server does not listen yet. Its connections come here first, and to its own listeners of `connection` from here */
  constructor(server: HttpServer, { max, firstByteTimeoutMs, warn }: ConnectionOptions) {
    this.#server = server;
    this.#listeners = server.listeners('connection');
    server.removeAllListeners('connection');
    server.on('connection', (socket) => this.#accept(socket, firstByteTimeoutMs));
    server.maxConnections = max;
    server.on('drop', warningOfRejected(warn));
    this.#closed = new Promise((resolve) => void server.once('close', resolve));
  }

  /** Whether the response to a request must close its connection. An injected request has none. */
  isLast({ socket }: { readonly socket: Duplex }): boolean {
    return socket instanceof ClientConnection && socket.requests.isLast(this.#isStopping);
  }

  /** Accepts no more connections, and closes the open ones with their next responses, as far as these come in time. */
  async drain(timeoutMs: number): Promise<void> {
    this.#stop();
    await Promise.race([this.#closed, delay(timeoutMs, undefined, { ref: false })]);
  }

  /** Resolves when all connections are closed: at once those without a request, the others after their responses. */
  async close(): Promise<void> {
    this.#stop();
    for (const socket of this.#unused) socket.destroy();
    // Node.js takes a connection for idle when its response has been written, although the client has not read it.
    while ([...this.#open].some(({ requests }) => requests.isSending)) await delay(SENDING_CHECK_MS);
    this.#server.closeIdleConnections();
    await this.#closed;
  }

  #stop(): void {
    this.#isStopping = true;
    // Not that of HTTP servers, which also closes the connections that are idle: a request may be on its way.
    Server.prototype.close.call(this.#server);
  }

  /** An unused connection stays a mere socket, which takes half of the memory. */
  #accept(socket: Socket, timeoutMs: number): void {
    const end = (): void => void socket.destroy();
    this.#unused.add(socket);
    socket.setTimeout(timeoutMs).once('timeout', end).once('end', end).once('error', end);
    socket.once('close', () => this.#unused.delete(socket));
    socket.once('data', (bytes) => {
      this.#unused.delete(socket);
      socket.setTimeout(0).off('timeout', end).off('end', end);
      const connection = new ClientConnection(socket, bytes);
      this.#open.add(connection);
      connection.once('close', () => this.#open.delete(connection));
      for (const listener of this.#listeners) listener.call(this.#server, connection);
    });
  }
}

/** Counts the connections that are rejected, and warns of them at most once a minute. */
function warningOfRejected(warn: (message: string) => void): () => void {
  let count = 0;
  let warnedAtMs = -Infinity;
  return () => {
    count += 1;
    if (performance.now() - warnedAtMs < WARNING_INTERVAL_MS) return;
    warn(`connections rejected: ${count} (CONNECTIONS_MAX)`);
    warnedAtMs = performance.now();
    count = 0;
  };
}
