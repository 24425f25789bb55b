import type { Socket } from 'node:net';

/**
 * Stops reading a connection, also while Node.js parses what it has read of it. `pause` alone does not hold: Node.js resumes the
 * socket at the end of each request.
 */
export function stopReading(socket: Socket): void {
  socket.on('resume', pause);
  socket.pause();
}

/** Reads a connection again on which `stopReading` was called. */
export function readAgain(socket: Socket): void {
  socket.off('resume', pause);
  socket.resume();
}

function pause(this: Socket): void {
  this.pause();
}
