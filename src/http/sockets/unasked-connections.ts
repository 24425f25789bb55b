import type { Socket } from 'node:net';

/** A client that means to ask something does it at once; a second is for its network. */
const SILENT_MS = 1000;

interface Unasked {
  readonly openedAtMs: number;
  readonly leave: () => void;
}

/** The open connections on which nothing was asked yet, the earliest first. */
export class UnaskedConnections {
  readonly #connections = new Map<Socket, Unasked>();

  /** @param leave gives back the place of the connection */
  add(socket: Socket, nowMs: number, leave: () => void): void {
    this.#connections.set(socket, { openedAtMs: nowMs, leave });
  }

  /** It has asked something, or is closed. */
  delete(socket: Socket): void {
    this.#connections.delete(socket);
  }

  /** Closes the one that has been silent longest, once it had the time to ask. Returns whether its place is free now. */
  makeRoom(nowMs: number): boolean {
    const [first] = this.#connections;
    if (first === undefined) return false;
    const [socket, { openedAtMs, leave }] = first;
    if (nowMs - openedAtMs < SILENT_MS) return false;
    this.#connections.delete(socket);
    leave(); // "close" comes later
    socket.destroy();
    return true;
  }
}
