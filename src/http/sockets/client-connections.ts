import { type RequestListener, Server, type ServerOptions } from 'node:http';
import { Server as NetServer, Socket } from 'node:net';
import type { Duplex } from 'node:stream';
import { setTimeout as delay } from 'node:timers/promises';
import { ClientConnection } from './client-connection.js';

export interface ConnectionOptions {
  /** The most open connections. Further ones are closed without a response. */
  readonly max: number;
  /** How long a client has to send something. Then its connection is closed without a response. */
  readonly firstByteTimeoutMs: number;
  readonly warn: (message: string) => void;
}

/** At most one line a minute in a flood. */
const WARNING_INTERVAL_MS = 60_000;

/** How often a stop checks whether all responses have been sent. */
const SENDING_CHECK_MS = 10;

/**
 * Hands the sockets that it accepts to `accept`, and serves what is emitted as `connection`: any `Duplex` may be, as Node.js documents
 * for this event.
 */
class AcceptingServer extends Server {
  accept: ((socket: Socket) => void) | undefined;

  override emit(event: string, ...values: unknown[]): boolean {
    const [socket] = values;
    if (event !== 'connection' || !(socket instanceof Socket)) return super.emit(event, ...values);
    this.accept?.(socket);
    return true;
  }

  /** Unlike `close`, keeps idle connections open: a request may be on its way. */
  stopListening(): void {
    NetServer.prototype.close.call(this);
  }
}

/** An HTTP server and its connections: accepts them, and ends them when the service stops. */
export class ClientConnections {
  /** Clients that have sent nothing yet. */
  readonly #unused = new Set<Socket>();
  readonly #open = new Set<ClientConnection>();
  readonly server: AcceptingServer;
  readonly #closed: Promise<unknown>;
  #isStopping = false;

  /** @param handle gets the requests of each connection one after another */
  constructor(
    options: ServerOptions,
    handle: RequestListener,
    { max, firstByteTimeoutMs, warn }: ConnectionOptions,
  ) {
    this.server = new AcceptingServer(options, (request, response) =>
      ClientConnection.of(request.socket).dispatch(request, response, handle),
    );
    this.server.accept = (socket) => this.#accept(socket, firstByteTimeoutMs);
    this.server.maxConnections = max;
    this.server.on('drop', warningOfRejected(warn));
    this.#closed = new Promise((resolve) => void this.server.once('close', resolve));
  }

  /** Whether the response to a request must close its connection. An injected request has none. */
  isLast({ socket }: { readonly socket: Duplex }): boolean {
    return socket instanceof ClientConnection && socket.requests.isLast(this.#isStopping);
  }

  /** Stops accepting connections, and closes open ones with their next response, until the time-out. */
  async drain(timeoutMs: number): Promise<void> {
    this.#stop();
    await Promise.race([this.#closed, delay(timeoutMs, undefined, { ref: false })]);
  }

  /** Resolves when all connections are closed: idle ones at once, others after their responses. */
  async close(): Promise<void> {
    this.#stop();
    for (const socket of this.#unused) socket.destroy();
    // Node.js considers a connection idle once its response is written, even if the client has not read it.
    while ([...this.#open].some(({ requests }) => requests.isSending)) await delay(SENDING_CHECK_MS);
    this.server.closeIdleConnections();
    await this.#closed;
  }

  #stop(): void {
    this.#isStopping = true;
    this.server.stopListening();
  }

  /** An unused connection stays a plain socket, which takes half the memory. */
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
      this.server.emit('connection', connection);
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
