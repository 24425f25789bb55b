import { once } from 'node:events';
import type { IncomingMessage, RequestListener, Server as HttpServer } from 'node:http';
import { createServer, type Server, type Socket } from 'node:net';
import { setImmediate as nextTurn, setTimeout as delay } from 'node:timers/promises';
import type { ClientAddressOf, IsTrustedPeer } from '../client-address.js';
import { ClientConnection } from './client-connection.js';

export interface ConnectionLimits {
  /** Open connections. */
  readonly connectionsMax: number;
  /** Open connections of one client address. */
  readonly connectionsPerAddressMax: number;
  readonly clientAddressOf: ClientAddressOf;
  /** Of proxies, which many clients share, only the total counts. */
  readonly isTrustedPeer: IsTrustedPeer;
  readonly warn: (message: string) => void;
}

/** In a flood, one line a minute must do. */
const WARNING_INTERVAL_MS = 60_000;

/**
 * The connections of an HTTP server: accepts them, keeps them within their limits, and ends them when the service stops. One too many is
 * closed without a response.
 */
export class Connections {
  readonly #open = new Set<ClientConnection>();
  readonly #openOfAddress = new Map<string, number>();
  #acceptor: Server | undefined;
  #closed: Promise<unknown> = Promise.resolve();
  #isStopping = false;
  #rejected = 0;
  #warnedAtMs = -Infinity;

  /** The server's request listener: dispatches the requests of each connection one after another. */
  static dispatch(handle: RequestListener): RequestListener {
    return (request, response) => connectionOf(request)?.dispatch(request, response, handle);
  }

  /** To be called before the server listens. From then on it gets its connections from here (`server.emit('connection', …)`). */
  accept(server: HttpServer, limits: ConnectionLimits): void {
    const acceptor = createServer({ allowHalfOpen: true, noDelay: true }, (socket) =>
      this.#accept(socket, server, limits),
    );
    acceptor.maxConnections = limits.connectionsMax;
    acceptor.on('drop', () => this.#warnOfRejected(limits));
    // The port is the server's; who listens on its handle last gets the connections.
    server.on('listening', () => acceptor.listen(server));
    this.#closed = once(acceptor, 'close');
    this.#acceptor = acceptor;
  }

  /** Whether the response to a request must close its connection. */
  isLast(request: IncomingMessage): boolean {
    return connectionOf(request)?.requests.isLast(this.#isStopping) === true;
  }

  /** Accepts no more connections, and closes the open ones with their next responses, as far as these come in time. */
  async drain(timeoutMs: number): Promise<void> {
    this.#stop();
    await Promise.race([this.#closed, delay(timeoutMs, undefined, { ref: false })]);
  }

  /** Resolves when all connections are closed: at once those without a request, the others after their responses. */
  async close(server: HttpServer): Promise<void> {
    if (this.#acceptor?.listening !== true && this.#open.size === 0) return;
    this.#stop();
    for (const connection of this.#open) if (connection.isUnused) connection.destroy();
    // Until then a request that was received behind another one has been passed on.
    await nextTurn();
    server.closeIdleConnections();
    await this.#closed;
  }

  #stop(): void {
    this.#isStopping = true;
    this.#acceptor?.close();
  }

  #accept(socket: Socket, server: HttpServer, limits: ConnectionLimits): void {
    const { remoteAddress } = socket;
    if (!limits.isTrustedPeer(remoteAddress) && !this.#isBelowMax(socket, limits)) {
      this.#warnOfRejected(limits);
      socket.destroy();
      return;
    }
    const connection = new ClientConnection(socket);
    this.#open.add(connection);
    connection.once('close', () => this.#open.delete(connection));
    server.emit('connection', connection);
  }

  /** Counts a connection of an address until it closes, if it is not one too many. */
  #isBelowMax(socket: Socket, { clientAddressOf, connectionsPerAddressMax }: ConnectionLimits): boolean {
    const address = clientAddressOf(socket.remoteAddress);
    const count = this.#openOfAddress.get(address) ?? 0;
    if (count >= connectionsPerAddressMax) return false;
    this.#openOfAddress.set(address, count + 1);
    socket.once('close', () => {
      const left = (this.#openOfAddress.get(address) ?? 0) - 1;
      if (left > 0) this.#openOfAddress.set(address, left);
      else this.#openOfAddress.delete(address);
    });
    return true;
  }

  #warnOfRejected({ warn }: ConnectionLimits): void {
    this.#rejected += 1;
    if (performance.now() - this.#warnedAtMs < WARNING_INTERVAL_MS) return;
    this.#warnedAtMs = performance.now();
    warn(`connections rejected: ${this.#rejected} (CONNECTIONS_MAX or CONNECTIONS_PER_ADDRESS_MAX)`);
    this.#rejected = 0;
  }
}

/** Undefined where a request was injected without a connection. */
const connectionOf = ({ socket }: IncomingMessage): ClientConnection | undefined =>
  (socket as unknown) instanceof ClientConnection ? (socket as unknown as ClientConnection) : undefined;
