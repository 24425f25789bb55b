import type { Server } from 'node:http';
import { Server as NetServer, type Socket } from 'node:net';

/**
 * The open connections of a server, to end them so that no request is lost. Node's own close cuts off a connection that is
 * idle in that moment, also when a request is on its way on it, and waits for one on which nothing was ever asked.
 */
export class OpenConnections {
  readonly #server: Server;
  readonly #sockets = new Set<Socket>();
  #onLast: (() => void) | undefined;

  constructor(server: Server) {
    this.#server = server;
    server.on('connection', (socket) => {
      this.#sockets.add(socket);
      socket.once('close', () => {
        this.#sockets.delete(socket);
        if (this.#sockets.size === 0) this.#onLast?.();
      });
    });
  }

  /**
   * Accepts no more connections, and waits until the answers have closed those that are open. What is left after the time
   * and has never said anything is closed.
   */
  async leave(timeoutMs: number): Promise<void> {
    // Only the listening socket: the server's own `close` would cut off the others.
    NetServer.prototype.close.call(this.#server);
    await this.#untilLast(timeoutMs);
    for (const socket of this.#sockets) if (socket.bytesRead === 0) socket.destroy();
  }

  #untilLast(timeoutMs: number): Promise<void> {
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
