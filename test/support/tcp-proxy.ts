import { once } from 'node:events';
import { type AddressInfo, createServer, type Server } from 'node:net';
import { join } from 'node:path';
import { TcpProxyLink, type TcpTarget } from './tcp-proxy-link.js';

/**
 * The treatment of the bytes between the service and its database.
 *
 * - `pass`: they arrive.
 * - `close`: the port is closed and every connection is reset: the server has ended.
 * - `cut`: every connection is reset, a new one as soon as it is made.
 * - `black-hole`: connections are made, but nothing arrives on either side, not even an end: the network is parted.
 *   What was sent meanwhile arrives when the mode changes back, as it does once the network is whole again.
 * - `mute`: statements arrive and their responses do not, so that it is unknown whether they committed; they come later, too.
 * - `strand`: connections that are open now stay black holes for good, new ones pass: the server has moved.
 * - `half-open`: the same, and the server's side of them has ended, of which the client is not informed.
 * - `truncate`: each connection breaks in the middle of the next message that the server sends.
 */
export type TcpProxyMode =
  'pass' | 'close' | 'cut' | 'black-hole' | 'mute' | 'strand' | 'half-open' | 'truncate';

/** How slowly bytes pass while they do. */
export interface TcpProxyPace {
  /** Bytes arrive this much later, in each direction. */
  readonly delayMs?: number;
  /** Bytes of the server arrive in pieces of this size, one each `dripMs`. */
  readonly dripBytes?: number;
  readonly dripMs?: number;
}

export interface TcpProxy {
  /** The target's URL, by way of the proxy. */
  readonly url: string;
  /** Connections of clients that are open now. */
  readonly connections: number;
  /** Resolves when the mode holds, also for the connections that are open. */
  mode(mode: TcpProxyMode): Promise<void>;
  /** Holds for what is sent from now on, also on connections that are open. */
  pace(pace: TcpProxyPace): void;
  /** Another server has the address from now on: what is open is reset, and new connections lead there. */
  retarget(target: string): Promise<void>;
  /** Ends every connection, the stranded ones, too. May be called again. */
  close(): Promise<void>;
}

const HOST = '127.0.0.1';
const POSTGRES_PORT = '5432';

/**
 * Stands between a service and a PostgreSQL server and fails on demand.
 *
 * @param target the server's URL; one with `?host=/directory` means the Unix socket in that directory
 */
export async function createTcpProxy(target: string): Promise<TcpProxy> {
  const proxy = new Proxy(addressOf(target));
  await proxy.mode('pass');
  return {
    url: urlVia(proxy.port, target),
    get connections() {
      return proxy.connections;
    },
    mode: (mode) => proxy.mode(mode),
    pace: (pace) => {
      proxy.pace = pace;
    },
    retarget: (to) => proxy.retarget(addressOf(to)),
    close: () => proxy.close(),
  };
}

class Proxy {
  port = 0;
  pace: TcpProxyPace = {};
  #target: TcpTarget;
  readonly #links = new Set<TcpProxyLink>();
  #server: Server | undefined;
  #mode: TcpProxyMode = 'pass';
  #isClosed = false;

  constructor(target: TcpTarget) {
    this.#target = target;
  }

  get connections(): number {
    return this.#links.size;
  }

  async close(): Promise<void> {
    if (!this.#isClosed) await this.mode('close');
    this.#isClosed = true;
  }

  async retarget(target: TcpTarget): Promise<void> {
    const mode = this.#mode;
    await this.mode('close');
    this.#target = target;
    await this.mode(mode);
  }

  async mode(mode: TcpProxyMode): Promise<void> {
    // An open port would keep the test run from ending.
    if (this.#isClosed) throw new Error('the proxy is closed');
    this.#mode = mode;
    if (mode === 'strand' || mode === 'half-open') for (const link of this.#links) link.strand(mode);
    for (const link of this.#links) link.apply(mode);
    if (mode === 'close') await this.#closePort();
    else await this.#openPort();
  }

  async #openPort(): Promise<void> {
    if (this.#server !== undefined) return;
    this.#server = createServer({ allowHalfOpen: true }, (client) => {
      const link = new TcpProxyLink(
        client,
        this.#target,
        () => this.pace,
        () => this.#links.delete(link),
      );
      this.#links.add(link);
      link.apply(this.#mode);
    });
    // The same port each time, so that the service finds its database again.
    this.#server.listen(this.port, HOST);
    await once(this.#server, 'listening');
    this.port = (this.#server.address() as AddressInfo).port;
  }

  async #closePort(): Promise<void> {
    const server = this.#server;
    if (server === undefined) return;
    this.#server = undefined;
    const closed = once(server, 'close');
    server.close();
    await closed;
  }
}

/** Where a database URL leads. */
export function addressOf(target: string): TcpTarget {
  const url = new URL(target);
  const port = url.port === '' ? POSTGRES_PORT : url.port;
  const directory = url.searchParams.get('host');
  return directory?.startsWith('/') === true
    ? { path: join(directory, `.s.PGSQL.${port}`) }
    : { host: directory ?? url.hostname, port: Number(port) };
}

function urlVia(port: number, target: string): string {
  const url = new URL(target);
  url.searchParams.delete('host');
  url.host = `${HOST}:${port}`;
  return url.toString();
}
