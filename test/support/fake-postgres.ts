import { createServer, type AddressInfo, type Socket } from 'node:net';

/** The reaction of the fake server to a message: first with the start-up message, then with each statement. */
export type Reaction = (socket: Socket) => void;

/** A message of the protocol: a letter, the length, the rest. */
function message(letter: string, body: Buffer | string = ''): Buffer {
  const bytes = Buffer.from(body);
  const head = Buffer.alloc(5, letter, 'latin1');
  head.writeInt32BE(bytes.length + 4, 1);
  return Buffer.concat([head, bytes]);
}

const int32 = (value: number): Buffer => {
  const bytes = Buffer.alloc(4);
  bytes.writeInt32BE(value);
  return bytes;
};

/** An authentication request: 0 is "accepted", 10 and 11 belong to SCRAM. */
export const authentication = (kind: number, rest = ''): Buffer =>
  message('R', Buffer.concat([int32(kind), Buffer.from(rest)]));

/** ReadyForQuery, outside of a transaction. */
export const READY = message('Z', 'I');

export const accept: Reaction = (socket) => void socket.write(Buffer.concat([authentication(0), READY]));
export const hangUp: Reaction = (socket) => void socket.destroy();
export const reset: Reaction = (socket) => void socket.resetAndDestroy();
export const silence: Reaction = () => undefined;
export const write =
  (...messages: Buffer[]): Reaction =>
  (socket) =>
    void socket.write(Buffer.concat(messages));

/** An ErrorResponse, with fields by their letters in the protocol (C is the SQLSTATE, M the message, n the constraint, R the routine). */
export const errorResponse = (
  fields: { readonly C: string; readonly M?: string; readonly n?: string; readonly R?: string },
  after: readonly Buffer[] = [READY],
): Reaction =>
  write(
    message(
      'E',
      `${Object.entries({ S: 'ERROR', M: `SQLSTATE ${fields.C}`, ...fields })
        .map(([letter, value]) => `${letter}${value}\0`)
        .join('')}\0`,
    ),
    ...after,
  );

/**
 * Speaks just enough of PostgreSQL's protocol to make the real driver fail in a given way; calls `use` with its port.
 * The last reaction repeats. A server that never ends leaves its side of a connection open when the client has ended its own.
 */
export async function withFakePostgres<Result>(
  reactions: readonly Reaction[],
  use: (port: number) => Promise<Result>,
  { neverEnds = false } = {},
): Promise<Result> {
  const sockets = new Set<Socket>();
  const server = createServer({ allowHalfOpen: neverEnds }, (socket) => {
    sockets.add(socket);
    socket.on('error', () => socket.destroy());
    let heard = 0;
    socket.on('data', () => reactions[Math.min(heard++, reactions.length - 1)]?.(socket));
  });
  await new Promise<void>((resolve) => void server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo;
  try {
    return await use(port);
  } finally {
    for (const socket of sockets) socket.destroy();
    await new Promise((resolve) => void server.close(resolve));
  }
}
