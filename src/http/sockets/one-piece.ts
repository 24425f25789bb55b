import type { Server } from 'node:http';
import { Socket } from 'node:net';

interface Chunk {
  readonly chunk: unknown;
  readonly encoding: BufferEncoding;
}

/**
 * Has each answer written as the one text that it is. Node puts an empty text behind an answer, to hear when all is written,
 * and then gathers the two in memory of their own.
 */
export function writeInOnePiece(server: Server): void {
  server.on('connection', (socket) => {
    socket._writev = writeGathered;
  });
}

function writeGathered(this: Socket, chunks: Chunk[], callback: (error?: Error | null) => void): void {
  const [first, last] = chunks;
  if (chunks.length === 2 && typeof first?.chunk === 'string' && last?.chunk === '') {
    this._write(first.chunk, first.encoding, callback);
  } else {
    Socket.prototype._writev?.call(this, chunks, callback);
  }
}
