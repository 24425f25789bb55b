import { fork } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';

export interface Flood {
  readonly connections: number;
  /** Between an answer and the next request of a connection, or between the bytes that it sends one after another. */
  readonly pauseMs: number;
  readonly bytes: string | Buffer;
  /** How many bytes are sent at a time; else all. */
  readonly dripBytes?: number;
}

export interface FloodFigures {
  readonly sent: number;
  /** Answers by their status. */
  readonly seen: Readonly<Record<string, number>>;
}

/** Floods a port from a process of its own, which answers nobody else. Returns what stops it and tells what it did. */
export function startFlood(port: number, flood: Flood): () => Promise<FloodFigures> {
  const { connections, pauseMs, bytes, dripBytes } = flood;
  const child = fork(join(__dirname, 'flooder.mjs'), [
    String(port),
    String(connections),
    String(pauseMs),
    Buffer.from(bytes).toString('base64'),
    ...(dripBytes === undefined ? [] : [String(dripBytes)]),
  ]);
  return async () => {
    const told = once(child, 'message');
    child.send('stop');
    const [figures] = (await told) as [FloodFigures];
    return figures;
  };
}
