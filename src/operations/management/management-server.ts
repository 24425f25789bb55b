import { once } from 'node:events';
import { createServer, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { Registry } from 'prom-client';
import { ListenError } from '../listen-error.js';
import type { Readiness } from './readiness.js';

export interface ManagementOptions {
  readonly readiness: Readiness;
  readonly registry: Registry;
}

/** Probes and scrapers send a few hundred bytes at once. */
const REQUEST_TIMEOUT_MS = 5000;

/** For supervisors and Prometheus, on a port of its own that nobody outside can reach: it has no keys and no limits. */
export class ManagementServer {
  readonly #options: ManagementOptions;
  readonly #server: Server;

  constructor(options: ManagementOptions) {
    this.#options = options;
    this.#server = createServer(
      { requestTimeout: REQUEST_TIMEOUT_MS, headersTimeout: REQUEST_TIMEOUT_MS },
      ({ method, url = '' }, response) => {
        if (method !== 'GET' && method !== 'HEAD') {
          response.setHeader('allow', 'GET, HEAD');
          return answer(response, 405, { status: 'method_not_allowed' });
        }
        this.#answer(url.split('?', 1)[0] ?? '', response).catch((error: unknown) => {
          answer(response, 500, { status: 'error', message: String(error) });
        });
      },
    );
  }

  /** The port that it listens on. */
  get port(): number {
    return (this.#server.address() as AddressInfo).port;
  }

  /** @throws ListenError when it cannot listen there */
  async listen(port: number, host: string): Promise<void> {
    this.#server.listen(port, host);
    await once(this.#server, 'listening').catch((error: unknown) => {
      throw new ListenError('MANAGEMENT_PORT', 'MANAGEMENT_HOST', error);
    });
  }

  async close(): Promise<void> {
    if (!this.#server.listening) return;
    const closed = once(this.#server, 'close');
    this.#server.close();
    this.#server.closeAllConnections();
    await closed;
  }

  async #answer(path: string, response: ServerResponse): Promise<void> {
    const { readiness, registry } = this.#options;
    switch (path) {
      case '/health/live':
        return answer(response, 200, { status: 'live' });
      case '/health/ready': {
        const { isReady, checks } = await readiness.check();
        return isReady
          ? answer(response, 200, { status: 'ready' })
          : answer(response, 503, { status: 'not_ready', checks });
      }
      case '/metrics': {
        const text = await registry.metrics();
        response.writeHead(200, { 'content-type': registry.contentType });
        response.end(text);
        return;
      }
      default:
        return answer(response, 404, { status: 'not_found' });
    }
  }
}

function answer(response: ServerResponse, status: number, body: unknown): void {
  response.writeHead(status, { 'content-type': 'application/json', 'cache-control': 'no-store' });
  response.end(JSON.stringify(body));
}
