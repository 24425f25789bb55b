import type { Server } from 'node:http';
import type { Socket } from 'node:net';

/** The open connections of a server, to end them so that no request is lost. */
export class OpenConnections {
  readonly #sockets = new Set<Socket>();
  #onLast: (() => void) | undefined;

  constructor(server: Server) {
    server.on('connection', (socket) => {
      this.#sockets.add(socket);
      socket.once('close', () => {
        this.#sockets.delete(socket);
        if (this.#sockets.size === 0) this.#onLast?.();
      });
    });
  }

  /** Waits until no connection is open, for so long at most. */
  untilNone(timeoutMs: number): Promise<void> {
    return new Promise((resolve) => {
      if (this.#sockets.size === 0) return resolve();
      const timer = setTimeout(resolve, timeoutMs);
      this.#onLast = () => {
        clearTimeout(timer);
        resolve();
      };
    });
  }

  /** Closes those on which nothing was ever said, for which Node's own `close` would wait. */
  closeSilent(): void {
    for (const socket of this.#sockets) if (socket.bytesRead === 0) socket.destroy();
  }
}
