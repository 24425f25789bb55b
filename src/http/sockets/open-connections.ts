import type { Server } from 'node:http';
import type { Socket } from 'node:net';

/** The open connections of a server, to end them so that no request is lost. */
export class OpenConnections {
  readonly #sockets = new Set<Socket>();
  #onLast: (() => void) | undefined;

  constructor(private readonly server: Server) {
    server.on('connection', (socket) => {
      this.#sockets.add(socket);
      socket.once('close', () => {
        this.#sockets.delete(socket);
        if (this.#sockets.size === 0) this.#onLast?.();
      });
    });
  }

  /**
   * Accepts no more connections, and waits until the responses have closed the open ones. The port is closed first: clients that
   * connect again would be reset by a port that closes later. Connections that never sent anything are closed after the time.
   */
  async drain(timeoutMs: number): Promise<void> {
    // `close` would also cut off connections that are idle at the moment, on which a request may be on its way.
    const { server } = this;
    const closeIdle = server.closeIdleConnections.bind(server);
    server.closeIdleConnections = () => undefined;
    server.close();
    server.closeIdleConnections = closeIdle;
    await this.#untilNone(timeoutMs);
    for (const socket of this.#sockets) if (socket.bytesRead === 0) socket.destroy();
  }

  #untilNone(timeoutMs: number): Promise<void> {
    return new Promise((resolve) => {
      if (this.#sockets.size === 0) return resolve();
      const timer = setTimeout(resolve, timeoutMs);
      this.#onLast = () => {
        clearTimeout(timer);
        resolve();
      };
    });
  }
}
