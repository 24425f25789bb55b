import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { type AddressInfo, connect, createServer, type Socket } from 'node:net';
import { pipeline } from 'node:stream';
import { fileURLToPath } from 'node:url';
import { createSecureContext, TLSSocket } from 'node:tls';
import { addressOf } from './tcp-proxy.js';

export const CERTIFICATES = fileURLToPath(new URL('tls/', import.meta.url));

/** The names of its certificates: for `localhost` and `127.0.0.1`, or for `other.example` alone. */
export type CertificateName = 'server' | 'other-host';

export interface TlsServer {
  readonly port: number;
  /** The target's URL, by way of `localhost` and TLS. */
  url(parameters: string): string;
  /** For the next connections; those that are open are reset. */
  present(certificate: CertificateName): void;
  /** The common names of the certificates that clients have shown, and an empty string for each that has shown none. */
  readonly clients: readonly string[];
  close(): Promise<void>;
}

/** An SSLRequest: PostgreSQL's documentation, section 54.7. */
const SSL_REQUEST = Buffer.from([0, 0, 0, 8, 4, 210, 22, 47]);

/** Stands before a PostgreSQL server and accepts connections with TLS alone. */
export async function createTlsServer(target: string): Promise<TlsServer> {
  let certificate: CertificateName = 'server';
  const sockets = new Set<Socket>();
  const clients: string[] = [];
  const server = createServer((socket) => {
    sockets.add(socket.on('error', ignore).on('close', () => sockets.delete(socket)));
    socket.once('data', (first) => {
      if (!first.equals(SSL_REQUEST)) {
        socket.destroy();
        return;
      }
      socket.write('S');
      const encrypted = new TLSSocket(socket, {
        isServer: true,
        requestCert: true,
        rejectUnauthorized: false,
        secureContext: createSecureContext({
          key: readFileSync(`${CERTIFICATES}server.key`),
          cert: readFileSync(`${CERTIFICATES}${certificate}.pem`),
        }),
      });
      encrypted.on('secure', () => clients.push(String(encrypted.getPeerCertificate().subject?.CN ?? '')));
      pipeline(encrypted, connect(addressOf(target)), encrypted, ignore);
    });
  });
  server.listen(0, 'localhost');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  const reset = (): void => sockets.forEach((socket) => socket.destroy());
  return {
    port,
    clients,
    url: (parameters) => {
      const url = new URL(target);
      url.host = `localhost:${port}`;
      url.search = parameters;
      return url.href;
    },
    present: (name) => {
      certificate = name;
      reset();
    },
    close: async () => {
      reset();
      server.close();
      await once(server, 'close');
    },
  };
}

function ignore(): void {
  // The other side sees the end of the connection.
}
