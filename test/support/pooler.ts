import { once } from 'node:events';
import { type AddressInfo, connect, createServer, type Socket } from 'node:net';

/** What a pooler looks like to its clients: their connections have other process numbers than the server's. */
export interface TestPooler {
  readonly url: string;
  close(): Promise<void>;
}

/** BackendKeyData: its type, its length of 12 bytes, the process number; the secret follows. */
const KEY_DATA = Buffer.from([0x4b, 0, 0, 0, 12]);

/**
 * Stands before a server as a pooler in transaction mode does whose role has no settings. (PgBouncer is not on every machine;
 * `npm run trial:scale` runs it.)
 */
export async function startPooler(target: string): Promise<TestPooler> {
  const { hostname, port, searchParams } = new URL(target);
  const directory = searchParams.get('host');
  const sockets = new Set<Socket>();
  const server = createServer((client) => {
    const upstream =
      directory === null
        ? connect(Number(port || 5432), hostname)
        : connect(`${directory}/.s.PGSQL.${port || '5432'}`);
    for (const [socket, other] of [
      [client, upstream],
      [upstream, client],
    ] as const) {
      sockets.add(socket);
      socket.on('error', () => undefined);
      socket.once('close', () => {
        sockets.delete(socket);
        other.destroy();
      });
    }
    client.pipe(upstream);
    upstream.on('data', (chunk) => {
      const at = chunk.indexOf(KEY_DATA);
      // The server's processes have small numbers.
      if (at !== -1) chunk.writeInt32BE(2_000_000_000, at + KEY_DATA.length);
      client.write(chunk);
    });
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const url = new URL(target);
  url.hostname = '127.0.0.1';
  url.port = String((server.address() as AddressInfo).port);
  url.searchParams.delete('host');
  return {
    url: url.toString(),
    close: async () => {
      const closed = once(server, 'close');
      server.close();
      for (const socket of sockets) socket.destroy();
      await closed;
    },
  };
}
